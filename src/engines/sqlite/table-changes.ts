// Counts what is written to tables, by this process or another, so that answers about what hardly ever changes can be kept in memory.
import type { DatabaseSync } from 'node:sqlite';

export interface TableChanges {
  /**
   * What was read of these tables holds as long as this number is the same: it grows with each change. Null while a transaction is open that
   * has changed one of them: nothing is kept then. Rows that a foreign key deletes by a cascade are not counted.
   */
  of(tables: readonly string[]): number | null;
  /** What a statement of the writer must call when it runs; null for one that only reads. */
  noticing(sql: string): (() => void) | null;
  /** A transaction has begun: nobody else commits before it ends, and it sees what they have committed until now. */
  begun(): void;
  /** The transaction has ended, either way. */
  ended(): void;
}

const READS = /^\s*select\b/i;
const WRITES = /^\s*(?:insert(?: or \w+)? into|update|delete from)\s+"(\w+)"/i;
/** A statement that is none of these may change any table. */
const ANY = '*';

/** `writer` is the connection by which this process writes: of another's commits it tells by its data version, of its own it does not. */
export function countChanges(writer: DatabaseSync): TableChanges {
  const dataVersion = writer.prepare('pragma data_version');
  const counts = new Map<string, number>();
  /** Tables that the open transaction has changed. */
  const open = new Set<string>();
  let version: unknown;
  let others = 0;
  let isLookedAt = false;

  const count = (table: string): number => counts.get(table) ?? 0;

  /** Once in a turn of the event loop, and in a transaction: whoever waits for another process asks in a later turn. */
  function lookAtOthers(): void {
    if (isLookedAt) return;
    isLookedAt = true;
    setImmediate(() => {
      isLookedAt = false;
    });
    const now = dataVersion.get()?.data_version;
    if (now === version) return;
    version = now;
    others++;
  }

  return {
    of(tables) {
      lookAtOthers();
      if (open.has(ANY)) return null;
      let sum = others + count(ANY);
      for (const table of tables) {
        if (open.has(table)) return null;
        sum += count(table);
      }
      return sum;
    },
    noticing(sql) {
      if (READS.test(sql)) return null;
      const table = WRITES.exec(sql)?.[1] ?? ANY;
      return () => {
        open.add(table);
        counts.set(table, count(table) + 1);
      };
    },
    begun() {
      isLookedAt = false;
    },
    ended: () => open.clear(),
  };
}
