// States of a ledger's rows that only a crash leaves, and what no surface of Dropgate tells of them. Tests name what they mean; tables and
// columns stand here alone.
import type { Ledger as GatewayLedger, Tables as GatewayTables } from '#gateway/ledger/schema.ts';

/** All rows of a table are lost. */
export async function emptyTable(ledger: GatewayLedger, table: keyof GatewayTables): Promise<void> {
  await ledger.write([], (rows) => rows.deleteFrom(table).execute());
}

/** Items as a crash leaves them before their documents were read: on behalf of the home's own account. */
export async function forgetHeads(ledger: GatewayLedger): Promise<void> {
  const unread = { family: null, document_id: null, sender: null, receiver: null, next_attempt_at: 0 };
  await ledger.write([], (rows) =>
    rows
      .updateTable('items')
      .set((row) => ({ ...unread, account_reg_no: row.ref('home') }))
      .execute(),
  );
}

/** Files that were published are owed again: a crash came before it was noted that they were in their place. */
export async function forgetWritten(ledger: GatewayLedger): Promise<void> {
  await ledger.write([], (rows) => rows.updateTable('publications').set({ written_at: null }).execute());
}

const RECEIVED = ['documents', 'publications', 'sweeps', 'stuck'] as const;

/** What was received for accounts whose names begin so. */
export async function forgetReceived(ledger: GatewayLedger, prefix: string): Promise<void> {
  await ledger.write([], async (rows) => {
    for (const table of RECEIVED) await rows.deleteFrom(table).where('account_reg_no', 'like', `${prefix}%`).execute();
  });
}
