// The core's ledger: its tables as types and as migrations. Portable columns only: text, integer (milliseconds, counts, 0 or 1), blob.
import { type Generated, type Kysely, sql } from 'kysely';
import type { Database, Migrations } from '#engines/database.ts';
import { addSealing, type SealingTable } from '#engines/sealing.ts';
import { keepFinishedKeys } from './finished-keys.ts';
import { addAnswers, addNetwork, type NetworkTables } from './network-tables.ts';
import { addKeyIds, addOrigins, addPartnerLimits } from './origins-and-limits.ts';
import { addPositions, dropDaysAndLogIndex, dropDocumentIndex } from './positions.ts';
import { addTokensAndFeatures } from './tokens-and-features.ts';
import { addTurnedAway, type TurnedAwayTable } from './turned-away.ts';
import { addValidation } from './validation.ts';
import { addWatch, type WatchedTables } from './watched.ts';
import { addWebhooks, dropWebhookLeases, type WebhookTables } from './webhook-tables.ts';

export interface Tables extends WebhookTables, NetworkTables, TurnedAwayTable, WatchedTables, SealingTable {
  accounts: {
    account_reg_no: string;
    name: string;
    enabled: number;
    /** Features. Without `apiIntegration` the account's own credentials get 403 on the transaction endpoints. */
    api_integration: number;
    sftp_integration: Generated<number>;
    capture: Generated<number>;
    /** Requests per window; null is what every account may spend. */
    requests_max: number | null;
    /** What is told about the company, as JSON. */
    profile: Generated<string>;
    /** How strictly its documents are judged: see domain/validation. */
    validation_severity: Generated<string>;
    validation_profiles: Generated<string>;
    validation_verify: Generated<string>;
    created_at: number;
  };
  participants: { participant: string; account_reg_no: string };
  partners: {
    partner_reg_no: string;
    name: string;
    enabled: number;
    created_at: number;
    /** Requests per window of all its tokens together; null is the usual budget. */
    requests_max: Generated<number | null>;
    /** Accounts that it may have made or been linked to before it may make no more; null is the usual number. */
    children_max: Generated<number | null>;
  };
  partner_links: { partner_reg_no: string; account_reg_no: string };
  api_keys: {
    /** By which tokens name it. */
    key_id: string;
    /** SHA-256 of the key, hex. The key itself is nowhere. */
    sha256: string;
    account_reg_no: string | null;
    partner_reg_no: string | null;
    scope: string;
    created_at: number;
    expires_at: number | null;
  };
  /** Ed25519 keys that sign tokens: the public half as RFC 8037 writes it, the private one sealed. */
  signing_keys: { kid: string; x: string; sealed: Uint8Array; created_at: number; retired_at: number | null };
  messages: {
    sequence: Generated<number>;
    integration_id: string;
    account_reg_no: string;
    direction: string;
    family: string;
    document_id: string;
    sender: string;
    receiver: string;
    /** What makes a document unique beside the receiver: the sender of an incoming one, '' for an outgoing one (decisions A3). */
    counterparty: string;
    customization_id: string | null;
    profile_id: string | null;
    issue_date: string | null;
    status: string;
    /** Why it was rejected, or given up. */
    status_reason: Generated<string | null>;
    /** Of responses: the answer by which it was delivered or rejected. */
    status_response: Generated<number | null>;
    version: number;
    size: number;
    created_at: number;
    updated_at: number;
    /** 1 when the last update fell on a later day (UTC) than the creation; kept so that few rows need to be looked at for updates. */
    updated_later: number;
    read_at: number | null;
    /** Place in the list of its account, direction and family: 1, 2, 3 …, without gaps, in the order of creation. */
    position: number;
    /** Of an incoming one: the account of this core that sent it, or posted it for itself; null when it came over the network. */
    origin: string | null;
  };
  /** Apart from the messages, so that lists do not drag bytes along. One row per version. */
  message_contents: { sequence: number; version: number; notation: string; sha256: string; bytes: Uint8Array };
  /** What happened to a message, in order. */
  message_log: {
    entry: Generated<number>;
    sequence: number;
    version: number;
    at: number;
    event: string;
    status: string;
    reason: Generated<string | null>;
  };
  /** Requests that were answered. */
  idempotency_keys: {
    account_reg_no: string;
    key: string;
    path: string;
    /** SHA-256 of the raw body, hex. */
    fingerprint: string;
    started_at: number;
    content_type: string;
    integration_id: string;
    response: Uint8Array;
  };
}

export type Ledger = Database<Tables>;
/** The rows of one transaction, or committed rows to read. */
export type Rows = Kysely<Tables>;

const HAS_SECRETS = sql`exists (select 1 from signing_keys)
  or exists (select 1 from webhooks where auth_sealed is not null or signing_sealed is not null)`;

export const migrations: Migrations = {
  '001-accounts-and-messages': { up: (database) => first(database) },
  '002-tokens-and-features': { up: (database) => addTokensAndFeatures(database) },
  '003-positions': { up: (database) => addPositions(database) },
  '004-webhooks': { up: (database) => addWebhooks(database) },
  '005-validation': { up: (database) => addValidation(database) },
  '006-network': { up: (database) => addNetwork(database) },
  '007-finished-keys': { up: (database) => keepFinishedKeys(database) },
  '008-webhook-leases': { up: (database) => dropWebhookLeases(database) },
  '009-one-document-index': { up: (database) => dropDocumentIndex(database) },
  '010-days-by-halving': { up: (database) => dropDaysAndLogIndex(database) },
  '011-origins': { up: (database) => addOrigins(database) },
  '012-key-ids': { up: (database) => addKeyIds(database) },
  '013-partner-limits': { up: (database) => addPartnerLimits(database) },
  '014-sealing': { up: (database) => addSealing(database, HAS_SECRETS) },
  '015-turned-away': { up: (database) => addTurnedAway(database) },
  '016-answers': { up: (database) => addAnswers(database) },
  '017-watch': { up: (database) => addWatch(database) },
};

async function first(database: Kysely<unknown>): Promise<void> {
  const text = 'text' as const;
  const integer = 'integer' as const;
  const { schema } = database;
  await schema
    .createTable('accounts')
    .addColumn('account_reg_no', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('enabled', integer, (column) => column.notNull())
    .addColumn('api_integration', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .execute();
  await schema
    .createTable('participants')
    .addColumn('participant', text, (column) => column.primaryKey())
    .addColumn('account_reg_no', text, (column) => column.notNull().references('accounts.account_reg_no'))
    .execute();
  await schema
    .createTable('partners')
    .addColumn('partner_reg_no', text, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('enabled', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .execute();
  await schema
    .createTable('partner_links')
    .addColumn('partner_reg_no', text, (column) => column.notNull().references('partners.partner_reg_no'))
    .addColumn('account_reg_no', text, (column) => column.notNull().references('accounts.account_reg_no'))
    .addPrimaryKeyConstraint('partner_links_key', ['partner_reg_no', 'account_reg_no'])
    .execute();
  await schema
    .createTable('api_keys')
    .addColumn('sha256', text, (column) => column.primaryKey())
    .addColumn('account_reg_no', text, (column) => column.references('accounts.account_reg_no'))
    .addColumn('partner_reg_no', text, (column) => column.references('partners.partner_reg_no'))
    .addColumn('scope', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('expires_at', integer)
    .execute();
  await schema
    .createTable('messages')
    .addColumn('sequence', integer, (column) => column.primaryKey().autoIncrement())
    .addColumn('integration_id', text, (column) => column.notNull().unique())
    .addColumn('account_reg_no', text, (column) => column.notNull().references('accounts.account_reg_no'))
    .addColumn('direction', text, (column) => column.notNull())
    .addColumn('family', text, (column) => column.notNull())
    .addColumn('document_id', text, (column) => column.notNull())
    .addColumn('sender', text, (column) => column.notNull())
    .addColumn('receiver', text, (column) => column.notNull())
    .addColumn('counterparty', text, (column) => column.notNull())
    .addColumn('customization_id', text)
    .addColumn('profile_id', text)
    .addColumn('issue_date', text)
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addColumn('read_at', integer)
    .addUniqueConstraint('messages_once', ['account_reg_no', 'direction', 'family', 'document_id', 'receiver', 'counterparty'])
    .execute();
  await schema
    .createIndex('messages_newest')
    .on('messages')
    .columns(['account_reg_no', 'direction', 'family', 'created_at desc', 'sequence desc'])
    .execute();
  // The read endpoints are polled: what is unread is found without walking over what was read.
  await sql`create index messages_unread on messages (account_reg_no, direction, family, created_at desc, sequence desc) where read_at is null`.execute(
    database,
  );
  await schema
    .createTable('message_contents')
    .addColumn('sequence', integer, (column) => column.notNull().references('messages.sequence'))
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('notation', text, (column) => column.notNull())
    .addColumn('sha256', text, (column) => column.notNull())
    .addColumn('bytes', 'blob', (column) => column.notNull())
    .addPrimaryKeyConstraint('message_contents_key', ['sequence', 'version'])
    .execute();
  await schema
    .createTable('message_log')
    .addColumn('entry', integer, (column) => column.primaryKey().autoIncrement())
    .addColumn('sequence', integer, (column) => column.notNull().references('messages.sequence'))
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('event', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .execute();
  await schema.createIndex('message_log_of').on('message_log').columns(['sequence']).execute();
  await schema
    .createTable('idempotency_keys')
    .addColumn('account_reg_no', text, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('fingerprint', text, (column) => column.notNull())
    .addColumn('owner', text, (column) => column.notNull())
    .addColumn('started_at', integer, (column) => column.notNull())
    .addColumn('lease_until', integer, (column) => column.notNull())
    .addColumn('finished_at', integer)
    .addColumn('content_type', text)
    .addColumn('integration_id', text)
    .addColumn('response', 'blob')
    .addPrimaryKeyConstraint('idempotency_keys_key', ['account_reg_no', 'key'])
    .execute();
}
