// Retention in tests: time in which everything whose time is over has been looked at.
import type { World } from './world/world.ts';

const PERIOD_MS = 6 * 60 * 60_000;
const REST_MS = 100;

/** Lets two rounds pass, the first of which may be under way. */
export async function retentionRounds(world: Pick<World, 'pass'>, steps = 40): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await world.pass(PERIOD_MS, PERIOD_MS);
    await world.pass(steps * REST_MS, REST_MS);
  }
}
