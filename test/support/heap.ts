// What this process holds in memory.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Megabytes, after everything that can be collected has been. */
export function heldMb(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('memory cannot be collected');
  for (let n = 0; n < 3; n++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}
