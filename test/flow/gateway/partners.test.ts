// A partner at a service that only follows the specification, where nothing is known but the partner's key: tokens, the children's folders,
// links that end and come back.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Receipt } from '#domain/receipt.ts';
import { changeRules, removeAccount } from '#gateway/accounts/administration.ts';
import { linkChild, putPartner, removePartner, unlinkChild } from '#gateway/accounts/partners.ts';
import { resendItem } from '#gateway/operator/resend.ts';
import { type ManualClock, manualClock } from '../../support/clock.ts';
import { invoice } from '../../support/documents.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { operate } from '../../support/operator.ts';
import { ADDRESSES, KEY, PARTNER, type PartnerWorldOptions, STRANGER, startPartnerWorld } from '../../support/partner-world.ts';
import { refusal } from '../../support/scripted-service.ts';
import { type StandIn, startStandIn } from '../../support/stand-in/stand-in.ts';
import { until } from '../../support/until.ts';

const MINUTE_MS = 60_000;
/** Of an item that nobody has looked into. */
const UNSEEN = { family: null, document_id: null, sender: null, receiver: null };
const [ONE, TWO, THREE] = ADDRESSES;
const MANY = 100;

let clock: ManualClock;
/** The service's own: a gateway's clock that is stepped moves no token's end. */
let serviceClock: ManualClock;
let service: StandIn;
let world: TestGateway;

beforeEach(async () => {
  clock = manualClock();
  serviceClock = manualClock();
  const children = ['child-1', 'child-2', 'child-3'];
  service = await startStandIn({ clock: serviceClock, accounts: { [PARTNER]: { key: KEY, children } } });
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function start(options: Partial<PartnerWorldOptions> = {}): Promise<void> {
  world = await startPartnerWorld({ url: service.url, clock, ...options });
}

function advance(ms: number): void {
  clock.advance(ms);
  serviceClock.advance(ms);
}

/** Time goes on until the condition is met. */
function inTime<Value>(what: string, condition: () => Value | Promise<Value>, stepMs = 1_000): Promise<NonNullable<Value>> {
  return until(what, () => {
    advance(stepMs);
    return condition();
  });
}

const accepted = async (home: string, id: string, sender: string): Promise<Receipt> => {
  await world.drop(home, `${id}.xml`, invoice({ id, sender, receiver: STRANGER }));
  return world.receipt(home, `${id}.xml`, 'accepted');
};
const stages = (home: string, name: string): string[] =>
  world
    .files(home, 'receipts')
    .filter((file) => file.startsWith(`${name}.`))
    .map((file) => file.split('.').at(-2) ?? '');
const tokenRequests = () => service.requests.filter(({ path }) => path.startsWith('/token'));
const transactions = (child: string) => service.requests.filter(({ path }) => path.startsWith(`/transaction/${child}/`));
const events = (event: string): unknown[] => world.log.map((line) => JSON.parse(line)).filter((fact) => fact.event === event);

describe('tokens', () => {
  test('each child acts by one of its own, asked for once with the partner’s key, and the key goes nowhere else', async () => {
    await start();
    for (let turn = 1; turn <= 4; turn++) {
      await Promise.all([
        accepted('child-1', `A-${turn}`, ONE),
        accepted('child-2', `B-${turn}`, TWO),
        accepted('child-3', `C-${turn}`, THREE),
      ]);
    }
    expect(tokenRequests().map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual(
      Array(3).fill(['POST', `/token/${PARTNER}`, `ApiKey ${KEY}`]),
    );
    for (const child of ['child-1', 'child-2', 'child-3']) {
      const authorizations = new Set(transactions(child).map(({ headers }) => headers.authorization));
      expect([...authorizations]).toEqual([expect.stringMatching(/^Bearer token-/)]);
    }
    expect(world.log.join('')).not.toMatch(/token-[0-9a-f]{8}|key-of-firm/);
    await world.stop();
    for (const file of ['gateway.db', 'gateway.db-wal']) {
      const path = join(world.data, file);
      if (existsSync(path)) expect(readFileSync(path).includes(KEY)).toBe(false);
    }
  });

  test('another one is taken shortly before the end, so that none is ever refused; a clock that is stepped changes nothing', async () => {
    await start();
    await accepted('child-1', 'A-1', ONE);
    const first = service.credentials.tokensGiven();
    clock.step(25 * 60 * MINUTE_MS);
    await accepted('child-1', 'A-2', ONE);
    clock.step(-50 * 60 * MINUTE_MS);
    await accepted('child-1', 'A-3', ONE);
    expect(service.credentials.tokensGiven()).toBe(first);
    for (let turn = 4; turn < 14; turn++) {
      advance(10 * MINUTE_MS);
      await accepted('child-1', `A-${turn}`, ONE);
    }
    expect(transactions('child-1').filter(({ status }) => status === 401)).toEqual([]);
    expect(service.credentials.tokensGiven()).toBeGreaterThan(first);
  });

  test('one that the service has forgotten is renewed once, and the document is sent', async () => {
    await start();
    await accepted('child-1', 'A-1', ONE);
    const before = tokenRequests().length;
    service.credentials.expireTokens();
    await accepted('child-1', 'A-2', ONE);
    expect(tokenRequests().length - before).toBe(1);
    expect(service.tally('child-1', ['A-1', 'A-2'])).toEqual({ lost: [], twice: [] });
  });

  test('a service that refuses every token pauses the account: no storm of requests', async () => {
    await start();
    service.manners.fault = ({ path, method }) =>
      path.startsWith('/transaction/child-1/') && method === 'POST'
        ? { does: false, answers: refusal(401, 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION') }
        : undefined;
    await world.drop('child-1', 'a.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));
    await until('the pause', () => events('submit.paused').length > 0);
    const posts = () => transactions('child-1').filter(({ method }) => method === 'POST');
    expect(posts()).toHaveLength(2);
    service.manners.fault = () => undefined;
    await inTime('the document after the pause', () => stages('child-1', 'a.xml').includes('accepted'), 30_000);
    await accepted('child-2', 'B', TWO);
  });

  test('the partner’s key is refused: one alarm, nothing is held, and a new key sets all going', async () => {
    const account = service.credentials.accounts.get(PARTNER);
    if (account) account.key = 'changed';
    await start();
    await world.drop('child-1', 'a.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));
    await world.drop('child-2', 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    await until('the pauses', () => events('submit.paused').length === 2);
    expect(events('partner.refused')).toHaveLength(1);
    expect(stages('child-1', 'a.xml')).toEqual([]);
    await world.administer((on) => putPartner(on, { partnerRegNo: PARTNER, serviceKey: 'changed' }));
    await inTime(
      'both documents',
      () => stages('child-1', 'a.xml').includes('accepted') && stages('child-2', 'b.xml').includes('accepted'),
      30_000,
    );
  });
});

describe('a token endpoint that gives no answer of its own', () => {
  const held = () => [...stages('child-1', 'a.xml')];
  const drop = () => world.drop('child-1', 'a.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));

  test.each([
    ['is away', 'reset' as const],
    ['answers 503', { status: 503, body: 'later' }],
    ['has a proxy before it that says 401', { status: 401, headers: { 'content-type': 'text/html' }, body: '<html>no</html>' }],
    ['answers 200 with something else', { status: 200, body: { token: 'x' } }],
  ])('%s: nothing is held or refused, and the document goes when it is back', async (_what, answers) => {
    service.manners.fault = ({ path }) => (path.startsWith('/token') ? { does: false, answers } : undefined);
    await start();
    await drop();
    await until('a try', () => events('submit.postponed').length > 0);
    expect(held()).toEqual([]);
    expect(events('partner.unlinked')).toEqual([]);
    service.manners.fault = () => undefined;
    await inTime('the document', () => held().includes('accepted'));
    expect(service.tally('child-1', ['A'])).toEqual({ lost: [], twice: [] });
  });

  test('429 is waited for as long as it says', async () => {
    service.manners.fault = ({ path }) =>
      path.startsWith('/token')
        ? { does: false, answers: { ...refusal(429, 'E_RATE_LIMITED'), headers: { 'retry-after': '600' } } }
        : undefined;
    await start();
    await drop();
    await until('a try', () => tokenRequests().length > 0);
    service.manners.fault = () => undefined;
    const before = tokenRequests().length;
    for (let turn = 0; turn < 9; turn++) {
      advance(MINUTE_MS);
      await new Promise((turnOfLoop) => setImmediate(turnOfLoop));
    }
    expect(tokenRequests().length).toBe(before);
    await inTime('the document', () => held().includes('accepted'), 30_000);
  });
});

describe('a folder for each child', () => {
  test('decides for whom a document is sent: one with a sender of another child is refused before a request is spent', async () => {
    await start();
    await world.drop('child-1', 'wrong.xml', invoice({ id: 'W', sender: TWO, receiver: STRANGER }));
    const receipt = await world.receipt('child-1', 'wrong.xml', 'refused');
    expect(receipt).toMatchObject({ accountRegNo: 'child-1', documentId: 'W', sender: TWO, action: 'fix' });
    expect(receipt.message).toContain(`has the sender ${TWO}, which is the address of child-2 (folder two-ab)`);
    expect(receipt.message).toContain('it was dropped for child-1 (folder one-ab)');
    await world.drop('child-1', 'nobody.xml', invoice({ id: 'N', sender: STRANGER, receiver: TWO }));
    expect((await world.receipt('child-1', 'nobody.xml', 'refused')).message).toContain(`${STRANGER}, which is no account's here`);
    expect(service.requests.filter(({ method, path }) => method === 'POST' && path.startsWith('/transaction'))).toEqual([]);
    expect(world.files('child-1', 'refused')).toHaveLength(2);
  });

  test('receipts name the folders as the login that dropped the file sees them', async () => {
    await start();
    await world.administer((on) => changeRules(on, 'erp', { layout: { inbox: 'UT' } }));
    await inTime('the layout', () => events('accounts.changed').length > 0);
    await accepted('child-1', 'A', ONE);
    await world.drop('child-1', 'again.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));
    expect((await world.receipt('child-1', 'again.xml', 'duplicate')).message).toContain('drop it in one-ab/UT/overwrite.');
  });

  test('where nobody has said which addresses a child has, the service decides', async () => {
    await start({
      children: [
        { accountRegNo: 'child-1', folder: 'one-ab' },
        { accountRegNo: 'child-2', participants: [TWO] },
      ],
    });
    await accepted('child-1', 'A', STRANGER);
    await world.drop('child-1', 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    expect((await world.receipt('child-1', 'b.xml', 'refused')).message).toContain('is the address of child-2');
  });

  test('what a child receives is in its outbox only', async () => {
    await start();
    service.arrive('child-2', invoice({ id: 'IN-1', sender: STRANGER, receiver: TWO }));
    await inTime('the document', () => world.files('child-2', 'outbox').length === 1, 30_000);
    expect(world.files('child-2', 'outbox')[0]).toMatch(/^2026-03-02_Invoice_IN-1_/);
    expect([world.files('child-1', 'outbox'), world.files('child-3', 'outbox')]).toEqual([[], []]);
  });

  test('a child that is linked while it runs is served at once', async () => {
    await start();
    service.credentials.accounts.get(PARTNER)?.children?.push('child-4');
    await world.administer((on) => linkChild(on, { partnerRegNo: PARTNER, accountRegNo: 'child-4', folder: 'four-ab' }));
    await inTime('the child', () => events('accounts.changed').length > 0);
    await accepted('child-4', 'D', STRANGER);
    service.arrive('child-4', invoice({ id: 'IN-4', sender: STRANGER, receiver: ONE }));
    await inTime('what it receives', () => world.files('child-4', 'outbox').length === 1, 30_000);
  });
});

describe('a link that ends while files wait', () => {
  const withoutChild2 = (): void => {
    const account = service.credentials.accounts.get(PARTNER);
    account?.children?.splice(account.children.indexOf('child-2'), 1);
    service.credentials.expireTokens();
  };
  /** The service is away: what is dropped waits. */
  const away = (): void => {
    service.manners.fault = ({ method }) => (method === 'POST' ? { does: false, answers: 'reset' } : undefined);
  };

  test('at the service: they are held, with receipts that say why; the others go on; polls cease after one alarm', async () => {
    await start();
    await accepted('child-2', 'B-0', TWO);
    away();
    const items = [await world.drop('child-2', 'b1.xml', invoice({ id: 'B-1', sender: TWO, receiver: STRANGER }))];
    items.push(await world.drop('child-2', 'b2.xml', invoice({ id: 'B-2', sender: TWO, receiver: ONE })));
    await until('both tries', () => events('submit.postponed').length >= 2);
    withoutChild2();
    service.manners.fault = () => undefined;
    await inTime('both held', () => ['b1.xml', 'b2.xml'].every((name) => stages('child-2', name).includes('held')));
    const receipt = await world.receipt('child-2', 'b1.xml', 'held');
    expect(receipt).toMatchObject({ action: 'wait', documentId: 'B-1', accountRegNo: 'child-2' });
    expect(receipt.message).toContain('Nobody here may act for account child-2 any more');
    expect(world.spooled('child-2')).toHaveLength(2);
    await accepted('child-1', 'A', ONE);

    const before = transactions('child-2').length;
    for (let turn = 0; turn < 30; turn++) {
      advance(2 * MINUTE_MS);
      await new Promise((turnOfLoop) => setImmediate(turnOfLoop));
    }
    expect(transactions('child-2').length).toBe(before);
    expect(events('partner.unlinked')).toHaveLength(1);

    service.credentials.accounts.get(PARTNER)?.children?.push('child-2');
    for (const item of items) await operate(world, (on) => resendItem(on, item));
    // The service is asked again a quarter of an hour after it said no; until then what is resent is held again.
    advance(16 * MINUTE_MS);
    await inTime('both documents', async () => {
      for (const item of items) await operate(world, (on) => resendItem(on, item)).catch(() => undefined);
      return ['b1.xml', 'b2.xml'].every((name) => stages('child-2', name).includes('accepted'));
    });
    expect(events('partner.restored')).toHaveLength(1);
    expect(service.tally('child-2', ['B-0', 'B-1', 'B-2'])).toEqual({ lost: [], twice: [] });
    service.arrive('child-2', invoice({ id: 'IN-2', sender: STRANGER, receiver: TWO }));
    await inTime('it receives again', () => world.files('child-2', 'outbox').length === 1, 30_000);
  });

  test('a clock that is put back meanwhile lets nobody wait for a day', async () => {
    await start();
    withoutChild2();
    await world.drop('child-2', 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    await world.receipt('child-2', 'b.xml', 'held');
    clock.step(-25 * 60 * MINUTE_MS);
    // Polls that come now are told how long to wait.
    for (let turn = 0; turn < 12; turn++) {
      advance(MINUTE_MS);
      await new Promise((turnOfLoop) => setImmediate(turnOfLoop));
    }
    service.credentials.accounts.get(PARTNER)?.children?.push('child-2');
    service.arrive('child-2', invoice({ id: 'IN', sender: STRANGER, receiver: TWO }));
    advance(16 * MINUTE_MS);
    await inTime('what it receives', () => world.files('child-2', 'outbox').length === 1, 5_000);
  });

  test('by the administrator: they are held at once, whatever they waited for, and go when it is linked and they are sent again', async () => {
    await start();
    away();
    await world.drop('child-2', 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    await until('the try', () => events('submit.postponed').length === 1);
    const { waiting } = await world.administer((on) => unlinkChild(on, PARTNER, 'child-2', 'erp'));
    expect(waiting).toBe(1);
    await inTime('held', () => stages('child-2', 'b.xml').includes('held'), 500);
    await expect(world.administer((on) => removeAccount(on, 'child-2'))).resolves.toBe(true);
  });

  test('linked again, what was held is sent by command, once', async () => {
    await start();
    away();
    const item = await world.drop('child-2', 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    await until('the try', () => events('submit.postponed').length === 1);
    await world.administer((on) => unlinkChild(on, PARTNER, 'child-2', 'erp'));
    await inTime('held', () => stages('child-2', 'b.xml').includes('held'), 500);
    service.manners.fault = () => undefined;
    const linked = await world.administer((on) => linkChild(on, { partnerRegNo: PARTNER, accountRegNo: 'child-2' }));
    expect(linked).toEqual({ login: 'erp', folder: 'two-ab', held: 1 });
    await inTime('the link', () => events('accounts.changed').length === 2);
    expect(stages('child-2', 'b.xml')).toEqual(['held']);
    await operate(world, (on) => resendItem(on, item));
    await inTime('the document', () => stages('child-2', 'b.xml').includes('accepted'));
    expect(service.tally('child-2', ['B'])).toEqual({ lost: [], twice: [] });
  });
});

describe('one home for all children', () => {
  beforeEach(() => start({ consolidated: true }));

  test('a document is sent for the child that its sender belongs to; receipts and originals are in the one home', async () => {
    const receipts = await Promise.all([accepted(PARTNER, 'A', ONE), accepted(PARTNER, 'B', TWO), accepted(PARTNER, 'C', THREE)]);
    expect(receipts.map(({ accountRegNo }) => accountRegNo)).toEqual(['child-1', 'child-2', 'child-3']);
    expect(service.tally('child-1', ['A'])).toEqual({ lost: [], twice: [] });
    expect(service.tally('child-3', ['C'])).toEqual({ lost: [], twice: [] });
    await until('the originals', () => world.files(PARTNER, 'accepted').length === 3);
    expect(world.spooled(PARTNER)).toEqual([]);
  });

  test('two children may have a document of one number and one file name', async () => {
    await world.drop(PARTNER, 'invoice.xml', invoice({ id: '1001', sender: ONE, receiver: STRANGER }));
    await world.drop(PARTNER, 'invoice.xml', invoice({ id: '1001', sender: TWO, receiver: STRANGER }));
    await until('both', () => stages(PARTNER, 'invoice.xml').filter((stage) => stage === 'accepted').length === 2);
    expect(service.holding.all.map(({ accountRegNo, documentId }) => [accountRegNo, documentId]).sort()).toEqual([
      ['child-1', '1001'],
      ['child-2', '1001'],
    ]);
  });

  test('a sender that nobody here has is refused; a document of a child that is linked no more is held', async () => {
    await world.drop(PARTNER, 'nobody.xml', invoice({ id: 'N', sender: STRANGER, receiver: TWO }));
    const receipt = await world.receipt(PARTNER, 'nobody.xml', 'refused');
    expect(receipt).toMatchObject({ accountRegNo: PARTNER, sender: STRANGER, documentId: 'N' });
    expect(receipt.message).toContain(`has the sender ${STRANGER}, which is no account's here; it was dropped for firm`);
    await world.administer((on) => unlinkChild(on, PARTNER, 'child-2', 'erp'));
    await inTime('the change', () => events('accounts.changed').length > 0);
    await world.drop(PARTNER, 'gone.xml', invoice({ id: 'G', sender: TWO, receiver: STRANGER }));
    const held = await world.receipt(PARTNER, 'gone.xml', 'held');
    expect(held).toMatchObject({ accountRegNo: 'child-2', action: 'wait', documentId: 'G' });
    expect(service.holding.all).toEqual([]);
  });

  test('of a partner that is removed, what waits is held, and only then it is forgotten', async () => {
    service.manners.fault = ({ method }) => (method === 'POST' ? { does: false, answers: 'reset' } : undefined);
    await world.drop(PARTNER, 'tried.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));
    await until('the try', () => events('submit.postponed').length === 1);
    await world.stop();
    await world.administer(({ ledger }) =>
      // As a crash leaves one whose sender nobody has looked at.
      ledger.write((rows) =>
        rows
          .updateTable('items')
          .set({ account_reg_no: PARTNER, next_attempt_at: 0, ...UNSEEN })
          .execute(),
      ),
    );
    for (const child of ['child-1', 'child-2', 'child-3']) await world.administer((on) => unlinkChild(on, PARTNER, child, 'erp'));
    await expect(world.administer((on) => removePartner(on, PARTNER))).rejects.toMatchObject({ code: 'locked' });
    await world.restart();
    expect(await world.receipt(PARTNER, 'tried.xml', 'held')).toMatchObject({ accountRegNo: 'child-1' });
    await expect(world.administer((on) => removePartner(on, PARTNER))).resolves.toBe('erp');
    expect(stages(PARTNER, 'tried.xml')).toEqual(['held']);
  });

  test('many files of one child let a single one of another pass', async () => {
    const open = Promise.withResolvers<undefined>();
    service.manners.fault = ({ method }) => (method === 'POST' ? open.promise : undefined);
    for (let index = 0; index < MANY; index++) {
      const receiver = `0088:735000000${String(index).padStart(4, '0')}`;
      await world.drop(PARTNER, `a-${index}.xml`, invoice({ id: `A-${index}`, sender: ONE, receiver }));
    }
    await world.drop(PARTNER, 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    open.resolve(undefined);
    const creates = (child: string): number => transactions(child).filter(({ method }) => method === 'POST').length;
    await until('the one', () => creates('child-2') === 1);
    expect(creates('child-1')).toBeLessThan(MANY / 2);
    await until('all', () => creates('child-1') === MANY);
  });

  test('what the children receive is in one outbox, under names that tell whose it is', async () => {
    service.arrive('child-1', invoice({ id: '7', sender: STRANGER, receiver: ONE }));
    service.arrive('child-2', invoice({ id: '7', sender: STRANGER, receiver: TWO }));
    await inTime('both documents', () => world.files(PARTNER, 'outbox').length === 2, 30_000);
    expect(world.files(PARTNER, 'outbox')).toEqual([
      expect.stringMatching(/^child-1_2026-03-02_Invoice_7_0088-7300010000025_[0-9a-f]{8}\.xml$/),
      expect.stringMatching(/^child-2_2026-03-02_Invoice_7_0088-7300010000025_[0-9a-f]{8}\.xml$/),
    ]);
  });

  test('a start finds whose each file is again: by its row, and without one by its sender', async () => {
    service.manners.fault = ({ method }) => (method === 'POST' ? { does: false, answers: 'reset' } : undefined);
    await world.drop(PARTNER, 'a.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));
    await world.drop(PARTNER, 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    await until('the tries', () => events('submit.postponed').length >= 2);
    await world.stop();
    await world.administer(({ ledger }) => ledger.write((rows) => rows.deleteFrom('items').where('document_id', '=', 'B').execute()));
    service.manners.fault = () => undefined;
    await world.restart();
    await inTime('both', () => stages(PARTNER, 'a.xml').includes('accepted') && stages(PARTNER, 'b.xml').includes('accepted'));
    expect(service.tally('child-1', ['A'])).toEqual({ lost: [], twice: [] });
    expect(service.tally('child-2', ['B'])).toEqual({ lost: [], twice: [] });
  });

  test('one child that is revoked at the service holds its own files only', async () => {
    const account = service.credentials.accounts.get(PARTNER);
    account?.children?.splice(account.children.indexOf('child-2'), 1);
    service.credentials.expireTokens();
    await world.drop(PARTNER, 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    expect((await world.receipt(PARTNER, 'b.xml', 'held')).accountRegNo).toBe('child-2');
    await accepted(PARTNER, 'A', ONE);
  });
});
