// For how long tests wait for what never comes.
import { availableParallelism, loadavg } from 'node:os';
import { isOnPostgres } from './engine.ts';

/** What is not long by nature is there within this time, on a machine that does little else; on PostgreSQL each statement waits for another process. */
const WAIT_MS = isOnPostgres ? 60_000 : 20_000;
/** Of tests that are long by nature. */
export const LONG_MS = 180_000;
/** What the tests themselves make of the load. */
const OWN_LOAD = 4;

/** As much longer as others keep this machine busy. */
export function patienceMs(): number {
  const [load = 0] = loadavg();
  return Math.ceil(WAIT_MS * Math.max(1, (load - OWN_LOAD) / availableParallelism()));
}
