// The gateway's ledger. Times are milliseconds since 1970.
import type { Kysely } from 'kysely';
import type { Database } from '#engines/database.ts';
import type { TablesOf } from '#engines/schema.ts';
import { accountsAndLogins, parties } from './tables/accounts.ts';
import { operating } from './tables/operating.ts';
import { receiving } from './tables/receiving.ts';
import { reconciling } from './tables/reconciling.ts';
import { sending } from './tables/sending.ts';
import { transferring } from './tables/transferring.ts';

export type Tables = TablesOf<typeof gatewaySchema>;
export type Rows = Kysely<Tables>;
export type Ledger = Database<Tables>;

export const gatewaySchema = {
  version: 13,
  tables: { ...accountsAndLogins, ...sending, ...parties, ...transferring, ...receiving, ...reconciling, ...operating },
} as const;
