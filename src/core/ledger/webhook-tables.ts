// The migrations of the core's ledger about webhooks: subscriptions, and the events that are owed to them.
import { type Generated, type Kysely, sql } from 'kysely';

export interface WebhookTables {
  webhooks: {
    /** UUID. */
    id: string;
    /** `account`: an account's own; `partner`: a partner's own; `child`: a partner's for one of its children. */
    scope: string;
    /** '' for an account's own. */
    partner_reg_no: string;
    /** Whose events it gets; of a partner's own the partner's number. */
    account_reg_no: string;
    url: string;
    /** Event types, as a JSON array. */
    types: string;
    enabled: number;
    /** Why it was disabled: `gone` (410), `failing`, or `key-lost` (its authentication cannot be read any more). */
    disabled_reason: string | null;
    auth_type: string | null;
    /** The outbound authentication, JSON, sealed. */
    auth_sealed: Uint8Array | null;
    /** What deliveries are signed with, sealed. */
    signing_sealed: Uint8Array | null;
    /** The first failure since the last success. */
    failing_since: number | null;
    /** The receiver asked for peace until then. */
    paused_until: number | null;
    created_at: number;
    updated_at: number;
  };
  /** One row per event and subscription, until it was delivered; then it goes. */
  webhook_events: {
    sequence: Generated<number>;
    /** UUID, the `webhook-id` of every try. */
    event_id: string;
    webhook_id: string;
    type: string;
    body: string;
    created_at: number;
    /** Tries that failed; also tells one try from the next. */
    attempts: number;
    /** When it is tried next. Null is a dead letter. */
    next_attempt_at: number | null;
    /** What became of the last try, in words. */
    last_reason: string | null;
    dead_at: number | null;
  };
}

export async function addWebhooks(database: Kysely<unknown>): Promise<void> {
  const text = 'text' as const;
  const integer = 'integer' as const;
  const { schema } = database;
  await schema
    .createTable('webhooks')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('scope', text, (column) => column.notNull())
    .addColumn('partner_reg_no', text, (column) => column.notNull())
    .addColumn('account_reg_no', text, (column) => column.notNull())
    .addColumn('url', text, (column) => column.notNull())
    .addColumn('types', text, (column) => column.notNull())
    .addColumn('enabled', integer, (column) => column.notNull())
    .addColumn('disabled_reason', text)
    .addColumn('auth_type', text)
    .addColumn('auth_sealed', 'blob')
    .addColumn('signing_sealed', 'blob')
    .addColumn('failing_since', integer)
    .addColumn('paused_until', integer)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .execute();
  // By account: every message that is stored asks who wants to hear of it.
  await schema.createIndex('webhooks_holder').unique().on('webhooks').columns(['account_reg_no', 'scope', 'partner_reg_no']).execute();
  await schema
    .createTable('webhook_events')
    .addColumn('sequence', integer, (column) => column.primaryKey().autoIncrement())
    .addColumn('event_id', text, (column) => column.notNull().unique())
    .addColumn('webhook_id', text, (column) => column.notNull().references('webhooks.id').onDelete('cascade'))
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('next_attempt_at', integer)
    .addColumn('leased', integer, (column) => column.notNull())
    .addColumn('last_reason', text)
    .addColumn('dead_at', integer)
    .execute();
  await sql`create index webhook_events_due on webhook_events (webhook_id, next_attempt_at, sequence) where next_attempt_at is not null`.execute(
    database,
  );
  await sql`create index webhook_events_dead on webhook_events (dead_at) where dead_at is not null`.execute(database);
  await sql`create index webhook_events_of on webhook_events (webhook_id)`.execute(database);
  await sql`create index webhook_events_leased on webhook_events (leased) where leased = 1`.execute(database);
}

/** That a try runs is not noted any more. One that was running when this came is made again, and does not count. */
export async function dropWebhookLeases(database: Kysely<unknown>): Promise<void> {
  await sql`update webhook_events set attempts = attempts - 1, next_attempt_at = 0 where leased = 1`.execute(database);
  await database.schema.dropIndex('webhook_events_leased').execute();
  await database.schema.alterTable('webhook_events').dropColumn('leased').execute();
}
