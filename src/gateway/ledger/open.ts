// Opens the gateway's ledger, for the gateway itself and for commands that work on it.
import { join } from 'node:path';
import { type DatabaseOptions, type DatabasePlace, type DatabaseServer, openDatabase } from '#engines/open.ts';
import { gatewaySchema, type Ledger } from './schema.ts';

/** Opens the ledger, a file in the data folder unless there is a server, and makes it when it is not there. Throws `usage` when another version of Dropgate made it. */
export function openGatewayLedger(data: string, server: DatabaseServer | null = null, options?: DatabaseOptions): Promise<Ledger> {
  return openDatabase(gatewayPlace(data, server), gatewaySchema, options);
}

/** A file in the data folder unless there is a server. */
export function gatewayPlace(data: string, server: DatabaseServer | null): DatabasePlace {
  return server ? { ...server, schema: 'dropgate_gateway' } : join(data, 'gateway.db');
}
