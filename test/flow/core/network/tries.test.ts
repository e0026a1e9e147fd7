// A hand-over that did not succeed: only a certain no ends it, and only an access point that has never heard of it gets it once more.
import { beforeEach, expect, it } from 'vitest';
import { claimTransmission, type TransmissionRow } from '#core/ledger/transmissions.ts';
import type { AccessPoint } from '#core/network/access-point.ts';
import { askFor } from '#core/network/ask.ts';
import type { TransmitParts } from '#core/network/attempt.ts';
import { handOver } from '#core/network/hand-over.ts';
import type { Peppol } from '#core/network/network.ts';
import { AppError, type ErrorCode } from '#domain/error.ts';
import { openQueue } from '#engines/open.ts';
import { systemRandom } from '#runtime/clock.ts';
import { AP_TOKEN, type HttpAccessPoint } from '../../../support/access-point.ts';
import { silent, type TestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';
import { startSellerBehindHttp, type TestNetwork } from '../../../support/network.ts';
import { isHandingOver } from '../../../support/world/ledger-rows.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const DAY = 24 * 60 * 60_000;

let network: TestNetwork;
let ap: HttpAccessPoint;
let core: TestCore;
beforeEach(async () => {
  ({ network, ap, core } = await startSellerBehindHttp());
});

const send = async (to = core): Promise<string> => (await to.call(OUT, { body: invoice() })).json.data.integrationId;
const transmission = async (of = core) => (await of.transmissions())[0];
const isSent = async (integrationId: string): Promise<boolean> =>
  (await core.call(`${OUT}/status?integrationId=${integrationId}&includeRead=true`)).json[0].metadata.status === 'sent';

it.each([500, 503, 401])('what the access point may have is not handed over again while it cannot say: %i', async (status) => {
  ap.mode = () => 'lose';
  ap.asked = () => status;
  const integrationId = await send();
  await network.wait('more tries', async () => ((await transmission())?.attempts ?? 0) > 2, 10_000);
  expect(ap.submissions).toHaveLength(1);
  ap.asked = () => 'tell';
  for (const taken of ap.transactions.values()) taken.status = 'sent';
  await network.wait('its end', () => isSent(integrationId), 10_000);
  expect(ap.submissions).toHaveLength(1);
});

it('an access point whose name has no address is a fault of the settings, and ends no document', async () => {
  const settings = { accessPoint: 'http', url: 'http://ap.test', token: AP_TOKEN } as const;
  const wrong = await network.startCore('seller', settings);
  await send(wrong);
  await network.wait('a second try', async () => ((await transmission(wrong))?.attempts ?? 0) > 1);
  expect(await transmission(wrong)).toMatchObject({ state: 'waiting', reason: expect.stringContaining('ap.test') });
});

/** The transmission as a try or a question begins it. */
async function begun(): Promise<TransmissionRow> {
  ap.mode = () => 401;
  await send();
  await network.wait(
    'a try',
    async () => ((await transmission())?.attempts ?? 0) > 0 && !(await isHandingOver(core.administration.ledger)),
  );
  const { instanceId = '', nextAttemptAt } = (await transmission()) ?? {};
  const nowMs = nextAttemptAt ?? 0;
  const hold = { holder: 'a core', nowMs, heldUntil: nowMs + 1 };
  const row = await core.administration.ledger.write([], (rows) => claimTransmission(rows, instanceId, hold));
  if (!row) throw new Error('it is worked on');
  return row;
}

const partsOf = (): TransmitParts => ({
  ledger: core.administration.ledger,
  clock: network.clock,
  random: systemRandom,
  log: silent,
  queue: openQueue(network.clock, silent),
  changed: () => undefined,
});

/** A network of which these parts are told. */
const peppolOf = (lookup: Peppol['lookup'], ways: Partial<AccessPoint>): Peppol => ({
  lookup,
  accessPoint: {
    reportsResponses: true,
    settlesWithinMs: 600_000,
    send: async (_, { instanceId }) => ({ accessPointId: instanceId, sent: false, reason: null }),
    status: async () => ({ state: 'unknown', reason: null, responseCode: null }),
    receive: () => ({ [Symbol.asyncDispose]: async () => undefined }),
    ...ways,
  },
  country: 'SE',
  giveUp: 3 * DAY,
  token: null,
  verify: 'refuse',
  watch: null,
});

/** One try by an access point, or a look-up, that throws this. */
async function tried(where: 'lookup' | 'send', error: unknown) {
  const row = await begun();
  const fails = async (): Promise<never> => Promise.reject(error);
  const peppol = where === 'lookup' ? peppolOf(fails, {}) : peppolOf(async () => 'https://ap.example', { send: fails });
  return handOver(partsOf(), peppol, { ...row, found: where === 'lookup' ? 0 : 1 });
}

it.each([
  ['working', 'working', null],
  ['sent, which is not the last word', 'sent', 'sent'],
  ['unknown', 'unknown', null],
] as const)('what is %s is asked about for fourteen days since it was handed over, and then no more', async (_, state, status) => {
  const row = await begun();
  const now = network.clock.now();
  const asked = (handedAt: number | null) =>
    askFor(
      partsOf(),
      peppolOf(async () => '', { status: async () => ({ state, reason: null, responseCode: null }) }),
      { ...row, handed_at: handedAt },
    );
  const last = await asked(now - 14 * DAY + 1);
  expect(last).toMatchObject({ status, settlement: { state: 'handed', nextAttemptAt: expect.any(Number) } });
  // When that was does not begin anew with each question, nor do the waits between them.
  expect(last.settlement).not.toHaveProperty('handedAt');
  expect(await asked(now - 14 * DAY)).toMatchObject({ status, settlement: { state: 'ended', nextAttemptAt: null } });
  expect(await asked(null)).toMatchObject({ status, settlement: { state: 'handed', handedAt: now, found: true } });
});

const CERTAIN: readonly ErrorCode[] = ['unknown-receiver', 'invalid'];
it.each(CERTAIN)('%s ends it: the receiver will not take it', async (code) => {
  expect(await tried('lookup', new AppError(code, 'No.'))).toMatchObject({
    status: 'failed',
    settlement: { state: 'ended', nextAttemptAt: null, reason: 'No.' },
  });
});

const PERHAPS: readonly ErrorCode[] = ['internal', 'missing', 'forbidden', 'wrong-credentials', 'rate-limited', 'storage', 'locked'];
it.each(PERHAPS.flatMap((code) => (['lookup', 'send'] as const).map((where) => [code, where] as const)))(
  '%s of a %s ends nothing: what is the matter with us or the way is tried again',
  async (code, where) => {
    const { settlement, status } = await tried(where, new AppError(code, 'Not now.'));
    expect(status).toBeNull();
    expect(settlement).toMatchObject({ state: 'waiting', reason: 'Not now.', found: where === 'send' });
    expect(settlement.nextAttemptAt).toBeGreaterThan(network.clock.now());
  },
);
