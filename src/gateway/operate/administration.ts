// What an administrator's commands work with: the open ledger, whether a daemon runs beside them or not; a daemon notices within five seconds.
import type { Scope } from '#engines/database.ts';
import { moveRevision } from '#gateway/ledger/revisions.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Seal } from '#runtime/seal.ts';

export interface Administration {
  readonly ledger: Ledger;
  readonly data: string;
  readonly seal: Seal;
  readonly clock: Clock;
  /** Of a daemon that shares homes with other nodes, and may lose them. */
  readonly check?: HomesInHand['check'];
}

/** A change of accounts, partners or logins: a running daemon notices it. `accounts`: those whose items or pauses change with it. */
export function change<Result>(
  on: Administration,
  work: (rows: Rows) => Promise<Result>,
  accounts: readonly string[] = [],
): Promise<Result> {
  const scopes = accounts.map((accountRegNo): Scope => `account ${accountRegNo}`);
  return on.ledger.write(['administration', ...scopes], async (rows) => {
    const result = await work(rows);
    await moveRevision(rows);
    return result;
  });
}
