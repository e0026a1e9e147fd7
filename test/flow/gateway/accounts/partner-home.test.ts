// One home for all children of a partner: routed by the sender, fair among the children, held apart when one is linked no more.
import { beforeEach, describe, expect, it } from 'vitest';
import { deleteItem } from '#gateway/ledger/items.ts';
import { removePartner, unlinkChild } from '#gateway/operate/partners.ts';
import { invoice } from '../../../support/documents.ts';
import { partnerStage } from '../../../support/partner-stage.ts';
import { until } from '../../../support/until.ts';
import { forgetHeads } from '../../../support/world/ledger-rows.ts';
import { ADDRESSES, PARTNER, STRANGER } from '../../../support/world/partner.ts';

const [ONE, TWO, THREE] = ADDRESSES;
const MANY = 100;

const firm = partnerStage();
const { start, inTime, accepted, stages, transactions, events } = firm;

describe('one home for all children', () => {
  beforeEach(() => start({ consolidated: true }));

  it('a document is sent for the child that its sender belongs to; receipts and originals are in the one home', async () => {
    const receipts = await Promise.all([accepted(PARTNER, 'A', ONE), accepted(PARTNER, 'B', TWO), accepted(PARTNER, 'C', THREE)]);
    expect(receipts.map(({ accountRegNo }) => accountRegNo)).toEqual(['child-1', 'child-2', 'child-3']);
    expect(firm.service.tally('child-1', ['A'])).toEqual({ lost: [], twice: [] });
    expect(firm.service.tally('child-3', ['C'])).toEqual({ lost: [], twice: [] });
    await until('the originals', () => firm.world.files(PARTNER, 'accepted').length === 3);
    expect(firm.world.spooled(PARTNER)).toEqual([]);
  });

  it('two children may have a document of one number and one file name', async () => {
    await firm.world.drop(PARTNER, 'invoice.xml', invoice({ id: '1001', sender: ONE, receiver: STRANGER }));
    await firm.world.drop(PARTNER, 'invoice.xml', invoice({ id: '1001', sender: TWO, receiver: STRANGER }));
    await until('both', () => stages(PARTNER, 'invoice.xml').filter((stage) => stage === 'accepted').length === 2);
    expect(firm.service.holding.all.map(({ accountRegNo, documentId }) => [accountRegNo, documentId]).sort()).toEqual([
      ['child-1', '1001'],
      ['child-2', '1001'],
    ]);
  });

  it('a sender that is unknown here is refused; a document of a child that is linked no more is held', async () => {
    await firm.world.drop(PARTNER, 'nobody.xml', invoice({ id: 'N', sender: STRANGER, receiver: TWO }));
    const receipt = await firm.world.receipt(PARTNER, 'nobody.xml', 'refused');
    expect(receipt).toMatchObject({ accountRegNo: PARTNER, sender: STRANGER, documentId: 'N' });
    expect(receipt.message).toContain(`was dropped for firm and has the sender ${STRANGER}, which belongs to nobody`);
    await firm.world.administer((on) => unlinkChild(on, PARTNER, 'child-2', 'erp'));
    await inTime('the change', () => events('accounts.changed').length > 0);
    await firm.world.drop(PARTNER, 'gone.xml', invoice({ id: 'G', sender: TWO, receiver: STRANGER }));
    const held = await firm.world.receipt(PARTNER, 'gone.xml', 'held');
    expect(held).toMatchObject({ accountRegNo: 'child-2', action: 'wait', documentId: 'G' });
    expect(firm.service.holding.all).toEqual([]);
    // The administrator finds both by what is known of them.
    const found = (await firm.world.items()).reverse();
    expect(found.map(({ accountRegNo, documentId, state }) => [accountRegNo, documentId, state])).toEqual([
      ['child-2', 'G', 'held'],
      [PARTNER, 'N', 'refused'],
    ]);
  });

  it('of a partner that is removed, what waits is held, and only then it is forgotten', async () => {
    firm.service.manners.fault = ({ method }) => (method === 'POST' ? { does: false, answers: 'reset' } : undefined);
    await firm.world.drop(PARTNER, 'tried.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));
    await until('the try', () => events('submit.postponed').length === 1);
    await firm.world.stop();
    await firm.world.administer(({ ledger }) => forgetHeads(ledger));
    for (const child of ['child-1', 'child-2', 'child-3']) await firm.world.administer((on) => unlinkChild(on, PARTNER, child, 'erp'));
    await expect(firm.world.administer((on) => removePartner(on, PARTNER))).rejects.toMatchObject({ code: 'locked' });
    await firm.world.restart();
    expect(await firm.world.receipt(PARTNER, 'tried.xml', 'held')).toMatchObject({ accountRegNo: 'child-1' });
    await expect(firm.world.administer((on) => removePartner(on, PARTNER))).resolves.toBe('erp');
    expect(stages(PARTNER, 'tried.xml')).toEqual(['held']);
  });

  it('many files of one child let a single one of another pass', async () => {
    const open = Promise.withResolvers<undefined>();
    firm.service.manners.fault = ({ path }) => (path.startsWith('/transaction/child-1/') ? open.promise : undefined);
    for (let index = 0; index < MANY; index++) {
      const receiver = `0088:735000000${String(index).padStart(4, '0')}`;
      await firm.world.drop(PARTNER, `a-${index}.xml`, invoice({ id: `A-${index}`, sender: ONE, receiver }));
    }
    await firm.world.drop(PARTNER, 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    const creates = (child: string): number => transactions(child).filter(({ method }) => method === 'POST').length;
    // Before any of the others is answered.
    await until('the one', () => creates('child-2') === 1);
    expect(creates('child-1')).toBeLessThan(MANY / 2);
    open.resolve(undefined);
    await until('all', () => creates('child-1') === MANY);
  });

  it('what the children receive is in one outbox, under names that tell whose it is', async () => {
    firm.service.arrive('child-1', invoice({ id: '7', sender: STRANGER, receiver: ONE }));
    firm.service.arrive('child-2', invoice({ id: '7', sender: STRANGER, receiver: TWO }));
    await inTime('both documents', () => firm.world.files(PARTNER, 'outbox').length === 2, 30_000);
    expect(firm.world.files(PARTNER, 'outbox')).toEqual([
      expect.stringMatching(/^child-1_2026-03-02_Invoice_7_0088-7300010000025_[0-9a-f]{8}\.xml$/),
      expect.stringMatching(/^child-2_2026-03-02_Invoice_7_0088-7300010000025_[0-9a-f]{8}\.xml$/),
    ]);
  });

  it('a start finds whose each file is again: by its row, and without one by its sender', async () => {
    firm.service.manners.fault = ({ method }) => (method === 'POST' ? { does: false, answers: 'reset' } : undefined);
    await firm.world.drop(PARTNER, 'a.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));
    const second = await firm.world.drop(PARTNER, 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    await until('the tries', () => events('submit.postponed').length >= 2);
    await firm.world.stop();
    await firm.world.administer(({ ledger }) => ledger.write([], (rows) => deleteItem(rows, second)));
    firm.service.manners.fault = () => undefined;
    await firm.world.restart();
    await inTime('both', () => stages(PARTNER, 'a.xml').includes('accepted') && stages(PARTNER, 'b.xml').includes('accepted'));
    expect(firm.service.tally('child-1', ['A'])).toEqual({ lost: [], twice: [] });
    expect(firm.service.tally('child-2', ['B'])).toEqual({ lost: [], twice: [] });
  });

  it('one child that is revoked at the service holds its own files only', async () => {
    const account = firm.service.credentials.accounts.get(PARTNER);
    account?.children?.splice(account.children.indexOf('child-2'), 1);
    firm.service.credentials.expireTokens();
    await firm.world.drop(PARTNER, 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    expect((await firm.world.receipt(PARTNER, 'b.xml', 'held')).accountRegNo).toBe('child-2');
    await accepted(PARTNER, 'A', ONE);
  });
});
