// The database seam: committed reads, and writes that share commits. SQL stands above it, in core/ledger and gateway/ledger.
import type { Kysely } from 'kysely';

export interface Database<Tables> {
  /** Sees committed rows only. */
  readonly read: Kysely<Tables>;
  /**
   * Runs `work` in a transaction that it may share with others; resolves with its result when the commit is durable. When `work`
   * throws, only its own changes are undone and the promise rejects with what it threw. `work` awaits nothing but queries.
   * `soon`: it may wait for a commit that others cause, a second at the most. For notes that a crash may swallow.
   */
  write<Result>(work: (rows: Kysely<Tables>) => Promise<Result>, when?: 'now' | 'soon'): Promise<Result>;
  /** How many commits were made. */
  readonly commits: number;
  /** Commits the writes that wait, then closes; later ones are refused. */
  close(): Promise<void>;
}
