// A partner’s login with a folder for each child: whose documents are sent from which, and links that end while files wait.
import { describe, expect, it } from 'vitest';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { removeAccount } from '#gateway/operate/accounts.ts';
import { addLogin, addLoginHome, changeRules } from '#gateway/operate/logins.ts';
import { linkChild, putPartner, unlinkChild } from '#gateway/operate/partners.ts';
import { resendItem } from '#gateway/operate/resend.ts';
import { invoice } from '../../../support/documents.ts';
import { partnerStage } from '../../../support/partner-stage.ts';
import { until } from '../../../support/until.ts';
import { ADDRESSES, KEY, PARTNER, STRANGER } from '../../../support/world/partner.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const [ONE, TWO] = ADDRESSES;

const firm = partnerStage();
const { start, advance, inTime, accepted, stages, transactions, events } = firm;

describe('a folder for each child', () => {
  it('decides for whom a document is sent: one with a sender of another child is refused before a request is spent', async () => {
    await start();
    await firm.world.drop('child-1', 'wrong.xml', invoice({ id: 'W', sender: TWO, receiver: STRANGER }));
    const receipt = await firm.world.receipt('child-1', 'wrong.xml', 'refused');
    expect(receipt).toMatchObject({ accountRegNo: 'child-1', documentId: 'W', sender: TWO, action: 'fix' });
    expect(receipt.message).toContain(`has the sender ${TWO}, which is the address of child-2 (folder two-ab)`);
    expect(receipt.message).toContain('was dropped for child-1 (folder one-ab)');
    expect(receipt).toMatchObject({
      code: 'sender-not-yours',
      message: expect.stringContaining(` It may be sent from ${ONE}. Correct the sender`),
    });
    await firm.world.drop('child-1', 'nobody.xml', invoice({ id: 'N', sender: STRANGER, receiver: TWO }));
    expect((await firm.world.receipt('child-1', 'nobody.xml', 'refused')).message).toContain(
      `${STRANGER}, which belongs to nobody whose documents are dropped there`,
    );
    expect(firm.service.requests.filter(({ method, path }) => method === 'POST' && path.startsWith('/transaction'))).toEqual([]);
    await until('the originals', () => firm.world.files('child-1', 'refused').length === 2);
  });

  it('receipts name the folders as the login that dropped the file sees them', async () => {
    await start();
    await firm.world.administer((on) => changeRules(on, 'erp', { layout: { inbox: 'UT' } }));
    await inTime('the layout', () => events('accounts.changed').length > 0);
    await accepted('child-1', 'A', ONE);
    await firm.world.drop('child-1', 'again.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));
    expect((await firm.world.receipt('child-1', 'again.xml', 'duplicate')).message).toContain('drop it in one-ab/UT/overwrite.');
  });

  it('receipts that the child reads, too, name no folder of its partner', async () => {
    await start();
    await firm.world.administer(async (on) => {
      await addLogin(on, { login: 'child', passwordHash: null, publicKeys: [] });
      await addLoginHome(on, 'child', 'child-1', '');
    });
    await inTime('the login', () => events('accounts.changed').length > 0);
    await accepted('child-1', 'A', ONE);
    await firm.world.drop('child-1', 'again.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));
    await firm.world.drop('child-1', 'wrong.xml', invoice({ id: 'W', sender: TWO, receiver: STRANGER }));
    const receipts = [
      await firm.world.receipt('child-1', 'again.xml', 'duplicate'),
      await firm.world.receipt('child-1', 'wrong.xml', 'refused'),
    ];
    expect(receipts[0]?.message).toContain('drop it in the folder overwrite of its inbox.');
    expect(receipts[1]?.message).toContain('was dropped for child-1');
    for (const receipt of receipts) expect(JSON.stringify(receipt)).not.toContain('one-ab');
  });

  it('where a child has no declared addresses, the service decides', async () => {
    await start({
      children: [
        { accountRegNo: 'child-1', folder: 'one-ab' },
        { accountRegNo: 'child-2', participants: [TWO] },
      ],
    });
    await accepted('child-1', 'A', STRANGER);
    await firm.world.drop('child-1', 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    expect((await firm.world.receipt('child-1', 'b.xml', 'refused')).message).toContain('is the address of child-2');
  });

  it('what a child receives is in its outbox only', async () => {
    await start();
    firm.service.arrive('child-2', invoice({ id: 'IN-1', sender: STRANGER, receiver: TWO }));
    await inTime('the document', () => firm.world.files('child-2', 'outbox').length === 1, 30_000);
    expect(firm.world.files('child-2', 'outbox')[0]).toMatch(/^2026-03-02_Invoice_IN-1_/);
    expect([firm.world.files('child-1', 'outbox'), firm.world.files('child-3', 'outbox')]).toEqual([[], []]);
  });

  it('a child that is linked while it runs is served at once', async () => {
    await start();
    firm.service.credentials.accounts.get(PARTNER)?.children?.push('child-4');
    await firm.world.administer((on) => linkChild(on, { partnerRegNo: PARTNER, accountRegNo: 'child-4', folder: 'four-ab' }));
    await inTime('the child', () => events('accounts.changed').length > 0);
    await accepted('child-4', 'D', STRANGER);
    firm.service.arrive('child-4', invoice({ id: 'IN-4', sender: STRANGER, receiver: ONE }));
    await inTime('what it receives', () => firm.world.files('child-4', 'outbox').length === 1, 30_000);
  });
});

describe('a link that ends while files wait', () => {
  const withoutChild2 = (): void => {
    const account = firm.service.credentials.accounts.get(PARTNER);
    account?.children?.splice(account.children.indexOf('child-2'), 1);
    firm.service.credentials.expireTokens();
  };
  /** The service is away: what is dropped waits. */
  const away = (): void => {
    firm.service.manners.fault = ({ method }) => (method === 'POST' ? { does: false, answers: 'reset' } : undefined);
  };

  it('at the service: they are held, with receipts that say why; the others go on; polls cease after one alarm', async () => {
    await start();
    await accepted('child-2', 'B-0', TWO);
    away();
    const items = [await firm.world.drop('child-2', 'b1.xml', invoice({ id: 'B-1', sender: TWO, receiver: STRANGER }))];
    items.push(await firm.world.drop('child-2', 'b2.xml', invoice({ id: 'B-2', sender: TWO, receiver: ONE })));
    await until('both tries', () => events('submit.postponed').length >= 2);
    withoutChild2();
    firm.service.manners.fault = () => undefined;
    await inTime('both held', () => ['b1.xml', 'b2.xml'].every((name) => stages('child-2', name).includes('held')));
    const receipt = await firm.world.receipt('child-2', 'b1.xml', 'held');
    expect(receipt).toMatchObject({ action: 'wait', code: 'account-unlinked', documentId: 'B-1', accountRegNo: 'child-2' });
    expect(receipt.message).toContain('Nobody here may act for account child-2 any more');
    expect(firm.world.spooled('child-2')).toHaveLength(2);
    await accepted('child-1', 'A', ONE);

    const before = transactions('child-2').length;
    for (let turn = 0; turn < 30; turn++) {
      advance(2 * MINUTE_MS);
      await new Promise((turnOfLoop) => setImmediate(turnOfLoop));
    }
    expect(transactions('child-2').length).toBe(before);
    expect(events('partner.unlinked')).toHaveLength(1);

    firm.service.credentials.accounts.get(PARTNER)?.children?.push('child-2');
    for (const item of items) await firm.world.operate((on) => resendItem(on, item));
    // The service is asked again a quarter of an hour after it said no; until then what is resent is held again.
    advance(16 * MINUTE_MS);
    await inTime('both documents', async () => {
      for (const item of items) await firm.world.operate((on) => resendItem(on, item)).catch(() => undefined);
      return ['b1.xml', 'b2.xml'].every((name) => stages('child-2', name).includes('accepted'));
    });
    expect(events('partner.restored')).toHaveLength(1);
    expect(firm.service.tally('child-2', ['B-0', 'B-1', 'B-2'])).toEqual({ lost: [], twice: [] });
    firm.service.arrive('child-2', invoice({ id: 'IN-2', sender: STRANGER, receiver: TWO }));
    await inTime('it receives again', () => firm.world.files('child-2', 'outbox').length === 1, 30_000);
  });

  it('a change of accounts here has the service asked again at once', async () => {
    await start();
    withoutChild2();
    await firm.world.drop('child-2', 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    await firm.world.receipt('child-2', 'b.xml', 'held');
    firm.service.credentials.accounts.get(PARTNER)?.children?.push('child-2');
    await firm.world.administer((on) => putPartner(on, { partnerRegNo: PARTNER, serviceKey: KEY }));
    await inTime('the change', () => events('accounts.changed').length > 0);
    await accepted('child-2', 'B-2', TWO);
  });

  it('a clock that is put back meanwhile lets no document wait for a day', async () => {
    await start();
    withoutChild2();
    await firm.world.drop('child-2', 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    await firm.world.receipt('child-2', 'b.xml', 'held');
    firm.clock.step(-25 * 60 * MINUTE_MS);
    // Polls that come now hear how long to wait.
    for (let turn = 0; turn < 12; turn++) {
      advance(MINUTE_MS);
      await new Promise((turnOfLoop) => setImmediate(turnOfLoop));
    }
    firm.service.credentials.accounts.get(PARTNER)?.children?.push('child-2');
    firm.service.arrive('child-2', invoice({ id: 'IN', sender: STRANGER, receiver: TWO }));
    advance(16 * MINUTE_MS);
    await inTime('what it receives', () => firm.world.files('child-2', 'outbox').length === 1, 5_000);
  });

  it('by the administrator: they are held at once, whatever they waited for, and go when it is linked and they are sent again', async () => {
    await start();
    away();
    await firm.world.drop('child-2', 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    await until('the try', () => events('submit.postponed').length === 1);
    const { waiting } = await firm.world.administer((on) => unlinkChild(on, PARTNER, 'child-2', 'erp'));
    expect(waiting).toBe(1);
    await inTime('held', () => stages('child-2', 'b.xml').includes('held'), 500);
    await expect(firm.world.administer((on) => removeAccount(on, 'child-2'))).resolves.toBe(true);
  });

  it('linked again, what was held is sent by command, once', async () => {
    await start();
    away();
    const item = await firm.world.drop('child-2', 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    await until('the try', () => events('submit.postponed').length === 1);
    await firm.world.administer((on) => unlinkChild(on, PARTNER, 'child-2', 'erp'));
    await inTime('held', () => stages('child-2', 'b.xml').includes('held'), 500);
    firm.service.manners.fault = () => undefined;
    const linked = await firm.world.administer((on) => linkChild(on, { partnerRegNo: PARTNER, accountRegNo: 'child-2' }));
    expect(linked).toEqual({ login: 'erp', folder: 'two-ab', held: 1 });
    await inTime('the link', () => events('accounts.changed').length === 2);
    expect(stages('child-2', 'b.xml')).toEqual(['held']);
    await firm.world.operate((on) => resendItem(on, item));
    await inTime('the document', () => stages('child-2', 'b.xml').includes('accepted'));
    expect(firm.service.tally('child-2', ['B'])).toEqual({ lost: [], twice: [] });
  });

  it('here: what lies in its folders goes by its own periods, as before', async () => {
    await start({ settings: { keepAccepted: DAY_MS, keepReceipts: 2 * DAY_MS } });
    await firm.world.administer((on) => changeAccount(on, 'child-2', { keep: { accepted: 3650 * DAY_MS } }));
    for (const [child, sender] of [['child-1', ONE] as const, ['child-2', TWO] as const]) await accepted(child, child, sender);
    const kept = (child: string): number => firm.world.files(child, 'accepted').length;
    await until('both originals', () => kept('child-1') + kept('child-2') === 2);
    await firm.world.administer((on) => unlinkChild(on, PARTNER, 'child-2', 'erp'));
    await inTime('it to be noticed', () => events('accounts.changed').length > 0);
    // Files are as old as the machine's clock says.
    advance(Date.now() - firm.clock.now() + 5 * DAY_MS);
    await inTime('the receipts to go', () => firm.world.files('child-2', 'receipts').length + kept('child-1') === 0, 60 * MINUTE_MS);
    expect(kept('child-2')).toBe(1);
  });
});
