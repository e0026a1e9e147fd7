// Opens the gateway's ledger, for the gateway itself and for commands that work on it.
import { join } from 'node:path';
import { type DatabaseServer, openDatabase } from '#engines/open.ts';
import { gatewaySchema, type Ledger } from './schema.ts';

/** Opens the ledger, a file in the data folder unless there is a server, and makes it when it is not there. Throws `usage` when another version of Dropgate made it. */
export function openGatewayLedger(data: string, server: DatabaseServer | null = null): Promise<Ledger> {
  return openDatabase(server ? { ...server, schema: 'dropgate_gateway' } : join(data, 'gateway.db'), gatewaySchema);
}
