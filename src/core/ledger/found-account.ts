// Writes for an account that must be found first: a write names its scopes before it begins.
import type { Scope } from '#engines/database.ts';
import type { Ledger, Rows } from './schema.ts';

/**
 * Finds an account, and runs `work` with it in a write that has the account among its scopes. Where the write finds another
 * account, or none any more, all of this begins again.
 */
export async function writeForFound<Result>(
  ledger: Ledger,
  find: (rows: Rows) => Promise<string | undefined>,
  work: (rows: Rows, accountRegNo: string | undefined) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const found = await find(ledger.read);
    const scopes: readonly Scope[] = found === undefined ? [] : [`account ${found}`];
    const done = await ledger.write(scopes, async (rows) => ((await find(rows)) === found ? { result: await work(rows, found) } : null));
    if (done) return done.result;
  }
}
