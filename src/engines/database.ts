// The database seam: committed reads, and writes that share commits. SQL stands above it, in core/ledger and gateway/ledger.
import type { Kysely } from 'kysely';

/**
 * What a write is alone with: where two writes of one scope run at the same time, one waits for the other, and then reads what that has
 * written. `home`: the names of its files; `account`: the order of its items, its messages, feeds and subscriptions; `administration`: which
 * accounts, partners, logins and keys there are.
 */
export type Scope = `home ${string}` | `account ${string}` | 'administration';

/** A name that all processes of a kind ask for: one of them has it alone, or several share it. */
export interface CommonName {
  readonly name: string;
  readonly isAlone: boolean;
}

/** Told how long a commit took until it was durable, and of that the fsync, where the engine makes it itself. */
export type Timed = (what: 'commit' | 'fsync', seconds: number) => void;

export interface Database<Tables> {
  /** Sees committed rows only. */
  readonly read: Kysely<Tables>;
  /** The same, for what goes through many rows: it takes none of the event loop's time. */
  readonly scan: Kysely<Tables>;
  /**
   * Runs `work` in a transaction that it may share with others; resolves with its result when the commit is durable. When `work`
   * throws, only its own changes are undone and the promise rejects with what it threw. `work` awaits nothing but queries, changes nothing
   * but rows, and may be run again. `scopes`: of what it reads to decide what it writes; none where each statement decides by itself.
   * `soon`: it may wait for a commit that others cause, a second at the most. For notes that a crash may swallow.
   */
  write<Result>(scopes: readonly Scope[], work: (rows: Kysely<Tables>) => Promise<Result>, when?: 'now' | 'soon'): Promise<Result>;
  /**
   * Sees to it that the files hold nothing of what was deleted before. False where they may: the engine cannot do that beside others, or somebody
   * was reading all the time.
   */
  wipe(): Promise<boolean>;
  /**
   * Keeps a name to this process until it ends, however it ends; false where another process has it, or lives that was opened for the same process.
   * Nothing is written while the name is lost, and the process ends when another has got it meanwhile, or `isStill` says no. What was opened for the same
   * process before has ended. `common`: a name that it keeps together with its own, which no other process has.
   */
  claim(name: string, isStill: () => Promise<boolean>, common?: CommonName): Promise<boolean>;
  /**
   * Whether the process of that name has ended, which was opened for under the same name: then nothing of it goes on, and nothing comes after. `known`:
   * it is known to have ended, though the database may not have noticed; otherwise its name must stay free for so long as one that lives may need to take it
   * again. False, too, where something of it could not be ended now: ask again.
   */
  outlive(name: string, known: boolean): Promise<boolean>;
  /** Whether something is connected that was opened for the process of that name; of one that has died the server may not have noticed. */
  isConnected(name: string): Promise<boolean>;
  /**
   * Whether of the processes that share the common name this one has had it for the longest without a break; true where it shares none. One that lives
   * asks in less than `silentMs`: others do not count when they have asked nothing for so long, as they stand still.
   */
  isFirst(silentMs: number): Promise<boolean>;
  /** How many commits were made. */
  readonly commits: number;
  /** Those to a server that reads and writes use now, and may; null where there is no server. */
  readonly connections: { readonly used: number; readonly max: number } | null;
  /** Commits the writes that wait, then closes; later ones are refused. */
  close(): Promise<void>;
}
