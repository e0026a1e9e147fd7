// A hand-over that did not succeed: only a certain no ends it, and only an access point that has never heard of it gets it once more.
import { beforeEach, expect, it } from 'vitest';
import { claimTransmission } from '#core/ledger/transmissions.ts';
import { handOver } from '#core/network/hand-over.ts';
import type { Peppol } from '#core/network/network.ts';
import { AppError, type ErrorCode } from '#domain/error.ts';
import { openMemoryQueue } from '#engines/memory-queue.ts';
import { systemRandom } from '#runtime/clock.ts';
import { AP_TOKEN, type HttpAccessPoint } from '../../support/access-point.ts';
import { silent, type TestCore } from '../../support/core.ts';
import { invoice } from '../../support/documents.ts';
import { startSellerBehindHttp, type TestNetwork } from '../../support/network.ts';

const OUT = '/transaction/seller/invoices/outgoing';

let network: TestNetwork;
let ap: HttpAccessPoint;
let core: TestCore;
beforeEach(async () => {
  ({ network, ap, core } = await startSellerBehindHttp());
});

const send = async (to = core): Promise<string> => (await to.call(OUT, { body: invoice() })).json.data.integrationId;
const transmission = (of = core) => of.administration.ledger.read.selectFrom('transmissions').selectAll().executeTakeFirstOrThrow();
const isSent = async (integrationId: string): Promise<boolean> =>
  (await core.call(`${OUT}/status?integrationId=${integrationId}&includeRead=true`)).json[0].metadata.status === 'sent';

it.each([500, 503, 401])('what the access point may have is not handed over again while it cannot say: %i', async (status) => {
  ap.mode = () => 'lose';
  ap.asked = () => status;
  const integrationId = await send();
  await network.wait('more tries', async () => (await transmission()).attempts > 2, 10_000);
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
  await network.wait('a second try', async () => (await transmission(wrong)).attempts > 1);
  expect(await transmission(wrong)).toMatchObject({ phase: 'waiting', last_reason: expect.stringContaining('ap.test') });
});

/** One try by an access point, or a look-up, that throws this. */
async function tried(where: 'lookup' | 'send', error: unknown) {
  ap.mode = () => 503;
  await send();
  await network.wait('a try', async () => (await transmission()).attempts > 0 && (await transmission()).leased === 0);
  const { ledger } = core.administration;
  const { instance_id: id, next_attempt_at: at } = await transmission();
  const row = await ledger.write((rows) => claimTransmission(rows, id, { nowMs: at ?? 0, leaseUntil: (at ?? 0) + 1 }));
  if (!row) throw new Error('it is worked on');
  const fails = async (): Promise<never> => Promise.reject(error);
  const peppol: Peppol = {
    lookup: where === 'lookup' ? fails : async () => 'https://ap.example',
    accessPoint: {
      tellsAnswers: true,
      send: where === 'send' ? fails : async () => id,
      status: async () => ({ state: 'unknown', reason: null }),
      receive: () => ({ [Symbol.asyncDispose]: async () => undefined }),
    },
    country: 'SE',
    giveUp: 72 * 60 * 60_000,
    token: null,
  };
  const queue = openMemoryQueue(network.clock, silent);
  return handOver({ ledger, clock: network.clock, random: systemRandom, log: silent, queue, changed: () => undefined }, peppol, {
    ...row,
    found: where === 'lookup' ? 0 : 1,
  });
}

const CERTAIN: readonly ErrorCode[] = ['unknown-receiver', 'invalid'];
it.each(CERTAIN)('%s ends it: the receiver will not take it', async (code) => {
  expect(await tried('lookup', new AppError(code, 'No.'))).toMatchObject({
    status: 'failed',
    settlement: { phase: 'ended', nextAttemptAt: null, reason: 'No.' },
  });
});

const PERHAPS: readonly ErrorCode[] = ['internal', 'missing', 'forbidden', 'wrong-credentials', 'rate-limited', 'storage', 'locked'];
it.each(PERHAPS.flatMap((code) => (['lookup', 'send'] as const).map((where) => [code, where] as const)))(
  '%s of a %s ends nothing: what is the matter with us or the way is tried again',
  async (code, where) => {
    const { settlement, status } = await tried(where, new AppError(code, 'Not now.'));
    expect(status).toBeNull();
    expect(settlement).toMatchObject({ phase: 'waiting', reason: 'Not now.', found: where === 'send' });
    expect(settlement.nextAttemptAt).toBeGreaterThan(network.clock.now());
  },
);
