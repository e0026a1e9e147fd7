// A service that is silent while many documents wait for it: how long counts for each, however seldom it is its turn.
import { expect, test } from 'vitest';
import { invoice } from '../../support/documents.ts';
import { FAULTS } from '../../support/stand-in/manners.ts';
import { startSubmitWorld } from '../../support/submit-world.ts';

const HOUR = 60 * 60_000;
/** More than may be asked for at a time, so that each has its turn at every other step. */
const MANY = 40;

test('what has its turn only every eight or ten hours is held after three days all the same', async () => {
  await using world = await startSubmitWorld({ accounts: { 'acme-ab': 'key' } });
  world.service.manners.fault = () => FAULTS.down;
  const files = Array.from({ length: MANY }, (_, index) => [`O-${index}.xml`, invoice({ id: `O-${index}` })] as const);
  await world.dropAll('acme-ab', files);
  await world.pass(65 * HOUR, 5 * HOUR);
  expect(world.count('held')).toBe(0);
  await world.pass(30 * HOUR, 5 * HOUR);
  expect(world.count('held')).toBe(MANY);
});
