// Opens the gateway's ledger.
import { join } from 'node:path';
import { openSqlite } from '#engines/sqlite/sqlite.ts';
import { type Ledger, migrations, type Tables } from './schema.ts';

/** Opens the ledger in the data folder, and makes it when it is not there. */
export function openGatewayLedger(data: string): Promise<Ledger> {
  return openSqlite<Tables>(join(data, 'gateway.db'), migrations);
}
