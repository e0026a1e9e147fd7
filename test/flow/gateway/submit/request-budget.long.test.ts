// A service that takes 30 requests a minute: 500 documents arrive all, in about the minutes that this takes, and a start refuses itself one
// request at the most. DROPGATE_BUDGET is how many documents there are (120; the whole has 500).

import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { startGateway } from '#gateway/gateway.ts';
import { amountOf } from '../../../support/amounts.ts';
import { invoice } from '../../../support/documents.ts';
import { defectiveBudget } from '../../../support/stand-in/defective.ts';
import { standIn } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

const DOCUMENTS = amountOf('DROPGATE_BUDGET');
const A_MINUTE = 30;
const MINUTE = 60_000;
const LATENCY_MS = 15;

const figures: string[] = [];
afterAll(() => console.log(figures.join('\n')));

interface Run {
  readonly documents: number;
  readonly told: boolean;
  /** The gateway is stopped, killed as it were, and started again after so many minutes. */
  readonly restartsAt: readonly number[];
  readonly start?: typeof startGateway;
}

interface Result {
  readonly refused: number;
  readonly minutes: number;
  readonly delivered: number;
  readonly lost: number;
  readonly twice: number;
}

async function run({ documents, told, restartsAt, start }: Run): Promise<Result> {
  const limit = { requests: A_MINUTE, windowMs: MINUTE, told };
  const world = await startWorld(standIn({ limit }), { ...(start && { start }) });
  const { service, clock } = world;
  // Far enough away for requests to be under way at the same time.
  service.manners.fault = () => pause(LATENCY_MS, undefined);
  // What polls before the first document arrives is none of this.
  await world.pass(2 * MINUTE, 5_000);
  const refusedBefore = service.limits.refused();
  const ids = Array.from({ length: documents }, (_, index) => `B-${index}`);
  const receiverOf = (index: number): string => `0088:735000000${String(index % 50).padStart(4, '0')}`;
  await world.dropAll(
    'acme-ab',
    ids.map((id, index) => [`${id}.xml`, invoice({ id, receiver: receiverOf(index) })]),
  );
  const beganMs = clock.now();
  for (const minutes of restartsAt) {
    await world.pass(beganMs + minutes * MINUTE - clock.now(), 2_500);
    await world.restart();
  }
  await world.passUntilDone(3 * (documents / A_MINUTE + 2) * MINUTE, 2_500);
  const { lost, twice } = service.tally('acme-ab', ids);
  return {
    refused: service.limits.refused() - refusedBefore,
    minutes: Math.round((clock.now() - beganMs) / MINUTE),
    delivered: await world.count('accepted'),
    lost: lost.length,
    twice: twice.length,
  };
}

it.each([
  ['tells its limits', true],
  ['tells nothing', false],
])('a service that %s', async (name, told) => {
  const restartsAt = [1.4];
  const result = await run({ documents: DOCUMENTS, told, restartsAt });
  const { refused, minutes, lost, twice } = result;
  figures.push(
    `30 requests a minute, service ${name}: ${DOCUMENTS} documents, ${refused} refused in ${1 + restartsAt.length} cold starts, ${lost} lost, ${twice} twice, ${minutes} minutes (${Math.ceil(DOCUMENTS / A_MINUTE)} at the least)`,
  );
  expect(result).toMatchObject({ lost: 0, twice: 0, delivered: DOCUMENTS });
  expect(refused).toBeLessThanOrEqual(1 + restartsAt.length);
  expect(minutes).toBeLessThanOrEqual(2 * Math.ceil(DOCUMENTS / A_MINUTE) + 2);
});

it('a budget that does not wait for the first answer is found', async () => {
  const start = await defectiveBudget({
    file: 'service/budget.ts',
    from: 'while (!known.tellsLimits && known.inFlight > 0)',
    to: 'while (known.limit < 0)',
  });
  const { refused } = await run({ documents: 60, told: true, restartsAt: [0.4], start });
  expect(refused).toBeGreaterThan(2);
});
