// A partner at a service that only follows the specification, where nothing is known but the partner’s key: the tokens by which it acts for its
// children, and a token endpoint that gives none.
import { describe, expect, it, vi } from 'vitest';
import { putPartner } from '#gateway/operate/partners.ts';
import { invoice } from '../../../support/documents.ts';
import { partnerStage } from '../../../support/partner-stage.ts';
import { LONG_MS } from '../../../support/patience.ts';
import { refusal } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { keptIn, ledgerFile } from '../../../support/world/ledger-files.ts';
import { ADDRESSES, KEY, PARTNER, STRANGER } from '../../../support/world/partner.ts';

// Hours of the clock, step by step.
vi.setConfig({ testTimeout: LONG_MS });

const MINUTE_MS = 60_000;
const [ONE, TWO, THREE] = ADDRESSES;

const firm = partnerStage();
const { start, advance, inTime, accepted, stages, tokenRequests, transactions, events } = firm;
/** For one of the children: the others are swept at a start as well, by tokens of their own. */
const tokensGiven = (): number => firm.service.credentials.tokensGiven('child-1');

describe('tokens', () => {
  it('each child acts by one of its own, asked for once with the partner’s key, and the key goes nowhere else', async () => {
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
    expect(firm.world.log.join('')).not.toMatch(/token-[0-9a-f]{8}|key-of-firm/);
    await firm.world.stop();
    const kept = keptIn(firm.world.data);
    expect(kept.keys()).toContain(ledgerFile(firm.world.data));
    for (const [where, bytes] of kept) expect(bytes.includes(KEY), where).toBe(false);
  });

  it('another one is taken shortly before the end, so that none is ever refused; a clock that is stepped changes nothing', async () => {
    await start();
    await accepted('child-1', 'A-1', ONE);
    const first = tokensGiven();
    firm.clock.step(25 * 60 * MINUTE_MS);
    await accepted('child-1', 'A-2', ONE);
    firm.clock.step(-50 * 60 * MINUTE_MS);
    await accepted('child-1', 'A-3', ONE);
    expect(tokensGiven()).toBe(first);
    for (let turn = 4; turn < 14; turn++) {
      advance(10 * MINUTE_MS);
      await accepted('child-1', `A-${turn}`, ONE);
    }
    expect(transactions('child-1').filter(({ status }) => status === 401)).toEqual([]);
    expect(tokensGiven()).toBeGreaterThan(first);
  });

  it('one that the service has forgotten is renewed once, and the document is sent', async () => {
    await start();
    await accepted('child-1', 'A-1', ONE);
    const before = tokensGiven();
    firm.service.credentials.expireTokens();
    await accepted('child-1', 'A-2', ONE);
    expect(tokensGiven() - before).toBe(1);
    expect(firm.service.tally('child-1', ['A-1', 'A-2'])).toEqual({ lost: [], twice: [] });
  });

  it('a service that refuses every token pauses the account: no storm of requests', async () => {
    await start();
    firm.service.manners.fault = ({ path, method }) =>
      path.startsWith('/transaction/child-1/') && method === 'POST'
        ? { does: false, answers: refusal(401, 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION') }
        : undefined;
    await firm.world.drop('child-1', 'a.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));
    await until('the pause', () => events('submit.paused').length > 0);
    const posts = () => transactions('child-1').filter(({ method }) => method === 'POST');
    expect(posts()).toHaveLength(2);
    firm.service.manners.fault = () => undefined;
    await inTime('the document after the pause', () => stages('child-1', 'a.xml').includes('accepted'), 30_000);
    await accepted('child-2', 'B', TWO);
  });

  it('the partner’s key is refused: one alarm, nothing is held, and a new key sets all going', async () => {
    const account = firm.service.credentials.accounts.get(PARTNER);
    if (account) account.key = 'changed';
    await start();
    await firm.world.drop('child-1', 'a.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));
    await firm.world.drop('child-2', 'b.xml', invoice({ id: 'B', sender: TWO, receiver: STRANGER }));
    await until('the pauses', () => events('submit.paused').length === 2);
    expect(events('partner.refused')).toHaveLength(1);
    expect(stages('child-1', 'a.xml')).toEqual([]);
    await firm.world.administer((on) => putPartner(on, { partnerRegNo: PARTNER, serviceKey: 'changed' }));
    await inTime(
      'both documents',
      () => stages('child-1', 'a.xml').includes('accepted') && stages('child-2', 'b.xml').includes('accepted'),
      30_000,
    );
  });
});

describe('a token endpoint that gives no answer of its own', () => {
  const held = () => [...stages('child-1', 'a.xml')];
  const drop = () => firm.world.drop('child-1', 'a.xml', invoice({ id: 'A', sender: ONE, receiver: STRANGER }));

  it.each([
    ['is away', 'reset' as const],
    ['answers 503', { status: 503, body: 'later' }],
    ['has a proxy before it that says 401', { status: 401, headers: { 'content-type': 'text/html' }, body: '<html>no</html>' }],
    ['answers 200 with something else', { status: 200, body: { token: 'x' } }],
  ])('%s: nothing is held or refused, and the document goes when it is back', async (_what, answers) => {
    firm.service.manners.fault = ({ path }) => (path.startsWith('/token') ? { does: false, answers } : undefined);
    await start();
    await drop();
    await until('a try', () => events('submit.postponed').length > 0);
    expect(held()).toEqual([]);
    expect(events('partner.unlinked')).toEqual([]);
    firm.service.manners.fault = () => undefined;
    await inTime('the document', () => held().includes('accepted'));
    expect(firm.service.tally('child-1', ['A'])).toEqual({ lost: [], twice: [] });
  });

  it.each([
    ['seconds', () => '600'],
    ['a date', () => new Date(firm.clock.now() + 10 * MINUTE_MS).toUTCString()],
  ])('429 is waited for as long as it says, in %s', async (_what, retryAfter) => {
    firm.service.manners.fault = ({ path }) =>
      path.startsWith('/token')
        ? { does: false, answers: { ...refusal(429, 'E_RATE_LIMITED'), headers: { 'retry-after': retryAfter() } } }
        : undefined;
    await start();
    await drop();
    await until('a try', () => tokenRequests().length > 0);
    firm.service.manners.fault = () => undefined;
    const before = tokenRequests().length;
    for (let turn = 0; turn < 9; turn++) {
      advance(MINUTE_MS);
      await new Promise((turnOfLoop) => setImmediate(turnOfLoop));
    }
    expect(tokenRequests().length).toBe(before);
    await inTime('the document', () => held().includes('accepted'), 30_000);
  });
});
