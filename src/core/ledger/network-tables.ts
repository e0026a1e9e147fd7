// The sixth migration of the core's ledger: what goes out to the network and came from it, what was answered to it, and enrichment.
import { type Generated, type Kysely, sql } from 'kysely';

export interface NetworkTables {
  /** One row per version of an outgoing message that leaves this core. */
  transmissions: {
    /** UUID, derived from the message and its version: the same however often it is tried. */
    instance_id: string;
    /** Of messages. */
    sequence: number;
    version: number;
    phase: string;
    /** 1 when the receiver is known to take it; otherwise it is looked up first. */
    found: number;
    /** Tries that were begun in this phase; also tells one try from the next. */
    attempts: number;
    /** When it is tried or asked about next; while that runs, the end of its lease. Null when nothing is to be done any more. */
    next_attempt_at: number | null;
    leased: number;
    /** The access point's name for it. */
    access_point_id: string | null;
    last_reason: string | null;
    created_at: number;
    handed_at: number | null;
    /** When the last hand-over began, or ended, of which nobody knows whether it got through. */
    posted_at: Generated<number | null>;
    /** When the access point first told the code of an answer whose document had not come. */
    answer_seen_at: Generated<number | null>;
  };
  /** Envelopes that came, so that none is taken twice. */
  receptions: { instance_id: string; sender: string; received_at: number };
  /** What receivers answered: message level statuses and responses, and invoice responses. */
  responses: {
    response: Generated<number>;
    /** Of the envelope that it came in; empty while only the access point has told of it. */
    instance_id: string;
    /** The message that it answers; null when there is none. */
    sequence: number | null;
    kind: string;
    code: string;
    reason: string | null;
    /** JSON array: what it says about places of the document. */
    findings: Generated<string>;
    received_at: number;
    document: Uint8Array;
  };
  enrichments: {
    polling_id: string;
    account_reg_no: string;
    /** JSON array. */
    types: string;
    file_name: string | null;
    content: Uint8Array | null;
    /** JSON, one object per type; null while it is worked on. */
    result: string | null;
    created_at: number;
    polled_at: number | null;
  };
}

export async function addNetwork(database: Kysely<unknown>): Promise<void> {
  const text = 'text' as const;
  const integer = 'integer' as const;
  const { schema } = database;
  // Why a message was rejected, or given up.
  await schema.alterTable('messages').addColumn('status_reason', text).execute();
  await schema.alterTable('message_log').addColumn('reason', text).execute();
  await schema
    .createTable('transmissions')
    .addColumn('instance_id', text, (column) => column.primaryKey())
    .addColumn('sequence', integer, (column) => column.notNull().references('messages.sequence'))
    .addColumn('version', integer, (column) => column.notNull())
    .addColumn('phase', text, (column) => column.notNull())
    .addColumn('found', integer, (column) => column.notNull())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('next_attempt_at', integer)
    .addColumn('leased', integer, (column) => column.notNull())
    .addColumn('access_point_id', text)
    .addColumn('last_reason', text)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('handed_at', integer)
    .execute();
  await schema.createIndex('transmissions_of').on('transmissions').columns(['sequence', 'version']).execute();
  await sql`create index transmissions_due on transmissions (next_attempt_at) where next_attempt_at is not null`.execute(database);
  await schema
    .createTable('receptions')
    .addColumn('instance_id', text, (column) => column.primaryKey())
    .addColumn('sender', text, (column) => column.notNull())
    .addColumn('received_at', integer, (column) => column.notNull())
    .execute();
  await schema
    .createTable('responses')
    .addColumn('response', integer, (column) => column.primaryKey().autoIncrement())
    .addColumn('instance_id', text, (column) => column.notNull())
    .addColumn('sequence', integer, (column) => column.references('messages.sequence'))
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('code', text, (column) => column.notNull())
    .addColumn('reason', text)
    .addColumn('received_at', integer, (column) => column.notNull())
    .addColumn('document', 'blob', (column) => column.notNull())
    .execute();
  await schema.createIndex('responses_of').on('responses').columns(['sequence']).execute();
  await schema
    .createTable('enrichments')
    .addColumn('polling_id', text, (column) => column.primaryKey())
    .addColumn('account_reg_no', text, (column) => column.notNull())
    .addColumn('types', text, (column) => column.notNull())
    .addColumn('file_name', text)
    .addColumn('content', 'blob')
    .addColumn('result', text)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('polled_at', integer)
    .execute();
  await schema.createIndex('enrichments_created').on('enrichments').columns(['created_at']).execute();
  await schema.createIndex('enrichments_waiting').on('enrichments').columns(['result']).execute();
}

/** What is known of a hand-over whose answer was lost, and which answer has decided about a message. */
export async function addAnswers(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema.alterTable('transmissions').addColumn('posted_at', 'integer').execute();
  await schema.alterTable('transmissions').addColumn('answer_seen_at', 'integer').execute();
  await schema
    .alterTable('responses')
    .addColumn('findings', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
  await schema.alterTable('messages').addColumn('status_response', 'integer').execute();
}
