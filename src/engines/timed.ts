// How long commits and their fsyncs take, as metrics.
import type { Metrics } from '#runtime/metrics.ts';
import type { Timed } from './database.ts';

/** `ledger`: whose it is, a label. */
export function timedBy(metrics: Metrics, ledger: string): Timed {
  const seconds = {
    commit: metrics.histogram('dropgate_commit_seconds', 'From the begin of a commit until it is durable.', 'ledger'),
    fsync: metrics.histogram('dropgate_fsync_seconds', 'The fsync of a commit, where the ledger is a file.', 'ledger'),
  };
  return (what, taken) => seconds[what].observe({ ledger }, taken);
}
