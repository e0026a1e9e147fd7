// Opens the gateway's ledger, for the gateway itself and for commands that work on it.
import { join } from 'node:path';
import { openDatabase } from '#engines/open.ts';
import { gatewaySchema, type Ledger } from './schema.ts';

/** Opens the ledger in the data folder, and makes it when it is not there. Throws `usage` when another version of Dropgate made it. */
export function openGatewayLedger(data: string): Promise<Ledger> {
  return openDatabase(join(data, 'gateway.db'), gatewaySchema);
}
