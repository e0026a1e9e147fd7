// How soon this process notices what others write.
import type { Ledger } from './schema.ts';

/** Between two looks for changes that other processes make: in a file these are the rare ones of a command that did not reach the daemon. */
export function lookForChangesEveryMs({ connections }: Pick<Ledger, 'connections'>): number {
  return connections === null ? 5_000 : 1_000;
}
