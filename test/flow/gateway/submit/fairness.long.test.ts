// One account's many files do not hold up another's one: how many requests of the large account are made between the arrival of the small
// one's file and its own request. DROPGATE_FAIRNESS is how many files there are (600; the whole has 10,000).

import { expect, it } from 'vitest';
import type { startGateway } from '#gateway/gateway.ts';
import { amountOf } from '../../../support/amounts.ts';
import { invoice } from '../../../support/documents.ts';
import { defectiveGateway } from '../../../support/stand-in/defective.ts';
import { until } from '../../../support/until.ts';
import { standIn } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

const FILES = amountOf('DROPGATE_FAIRNESS');
const SLOTS = 32;
/** The requests of some tens of milliseconds: while the one is read and its row is written, the others go on. */
const PASSING_MAX = 8 * SLOTS;

/** Requests of the large account between the small one's CLOSE and its request. `spent`: the large one has used up its budget. */
async function passedBy(files: number, spent: boolean, start?: typeof startGateway): Promise<{ before: number; waited: number }> {
  const limit = { requests: spent ? 30 : 1_000_000, windowMs: 60_000, told: true };
  const world = await startWorld(standIn({ limit }), {
    accounts: { large: 'key-1', small: 'key-2' },
    settings: { submits: SLOTS },
    itemsMax: 100_000,
    ...(start && { start }),
  });
  const { service, clock } = world;
  const creates = (accountRegNo: string): number =>
    service.requests.filter(({ method, path }) => method === 'POST' && path.includes(`/${accountRegNo}/`)).length;
  // Nothing goes out while the files arrive.
  const open = Promise.withResolvers<undefined>();
  service.manners.fault = ({ method }) => (method === 'POST' ? open.promise : undefined);
  const receiverOf = (index: number): string => `0088:735000000${String(index % 997).padStart(4, '0')}`;
  await world.dropAll(
    'large',
    Array.from({ length: files }, (_, index) => [`${index}.xml`, invoice({ id: `F-${index}`, receiver: receiverOf(index) })]),
  );
  if (spent) {
    open.resolve(undefined);
    await until('the budget to be spent', () => creates('large') >= 15);
  }
  const droppedMs = clock.now();
  await world.drop('small', 'one.xml', invoice({ id: 'ONE' }));
  const before = creates('large');
  open.resolve(undefined);
  await until('the one to go out', () => creates('small') === 1, 60_000);
  const result = { before: creates('large') - before, waited: clock.now() - droppedMs };
  await world.stop();
  return result;
}

it('a large account lets a small one through at once', async () => {
  const { before, waited } = await passedBy(FILES, false);
  console.log(`fairness: ${FILES} files before one, ${before} requests passed it by, ${waited} ms of the clock`);
  expect(before).toBeLessThan(PASSING_MAX);
  expect(waited).toBe(0);
});

it('and so does one whose budget is spent', async () => {
  const { waited } = await passedBy(Math.min(FILES, 600), true);
  expect(waited).toBe(0);
});

it('a gateway in which files go in the order of their arrival, whosever they are, is found', async () => {
  const start = await defectiveGateway({
    file: 'submit/turn.ts',
    from: 'scheduler.enqueue(this.#accountOf(item), item.item',
    to: "scheduler.enqueue('all', item.item",
  });
  expect((await passedBy(600, false, start)).before).toBeGreaterThan(PASSING_MAX);
});
