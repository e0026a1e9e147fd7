// The core's ledger. Times are milliseconds since 1970.
import type { Kysely } from 'kysely';
import type { Database } from '#engines/database.ts';
import type { TablesOf } from '#engines/schema.ts';
import { access } from './tables/access.ts';
import { messages } from './tables/messages.ts';
import { network } from './tables/network.ts';
import { webhooks } from './tables/webhooks.ts';

export type Tables = TablesOf<typeof coreSchema>;
export type Ledger = Database<Tables>;
/** The rows of one transaction, or committed rows to read. */
export type Rows = Kysely<Tables>;

export const coreSchema = { version: 4, tables: { ...access, ...messages, ...webhooks, ...network } } as const;
