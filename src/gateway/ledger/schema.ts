// The gateway's ledger: its tables as Kysely sees them, and the migrations that make them. Times are milliseconds since 1970.
import { type Generated, type Kysely, sql } from 'kysely';
import type { Database, Migrations } from '#engines/database.ts';
import { addSealing, type SealingTable } from '#engines/sealing.ts';
import type { ItemState, SubmitMode } from '#gateway/model/item.ts';
import type { HomeFolder } from '#gateway/model/layout.ts';
import { addDeliveries, type DeliveryTables } from './deliveries.ts';
import { addDropRules, type DropTables } from './drop-rules.ts';
import { narrowIndexes } from './narrow-indexes.ts';
import { addPartners, type PartnerTables } from './partner-tables.ts';
import { addPolling, addRounds, type PollTables } from './poll-tables.ts';
import { indexOwedOnly } from './publications.ts';
import { addReceipts, type ReceiptTables } from './receipts.ts';
import { type AttemptSilence, addSilences, type SilenceTables } from './silences.ts';
import { addSubmitting, type SubmitColumns } from './submit-tables.ts';
import { addTurnedAway, type TurnedAwayTables } from './turned-away.ts';

export interface Tables
  extends DeliveryTables,
    DropTables,
    PartnerTables,
    PollTables,
    ReceiptTables,
    SealingTable,
    SilenceTables,
    TurnedAwayTables {
  accounts: {
    account_reg_no: string;
    /** The service's API key for this account, sealed by the key file (seal.ts); null where its partner speaks for it. */
    service_key: Uint8Array | null;
    /** The partner by whose tokens the gateway acts for it; null: by a key of its own. */
    partner_reg_no: string | null;
    /** Whose folders it has: its own, or those of the partner's children together. */
    home: string;
    /** The partner may act for it no more, since then. */
    unlinked_at: number | null;
    receipts: 'json' | 'text' | null;
    disabled_at: number | null;
    created_at: number;
    /** 1: our listener for hints is to be registered at the service. */
    hints: Generated<number>;
    /** JSON: how documents are received for it (receiving.ts). */
    receiving: Generated<string>;
    /** Who judges its documents before they are sent: we, or the service alone; null: as the settings say. */
    validate: Generated<'local' | 'core' | null>;
  };
  /** Accounts whose service was told of our listener. */
  hints: { account_reg_no: string; secret_sha256: string; webhook_id: string | null };
  logins: {
    login: string;
    password_hash: string | null;
    disabled_at: number | null;
    created_at: number;
    /** JSON: what it is held to (login-rules.ts). */
    rules: Generated<string>;
  };
  login_keys: { login: string; public_key: string };
  login_homes: { login: string; home: string; folder: string };
  /** One row: moves with every change of accounts and logins, so that a running daemon notices. */
  revisions: { name: string; revision: number };

  items: SubmitColumns & {
    item: string;
    /** On whose behalf it is sent; in a home of several accounts the home's name, until its sender has told whose it is. */
    account_reg_no: string;
    /** Whose spool holds its file, and whose folders get its receipts and its original. */
    home: string;
    /** Null for a file that came by folder. */
    login: string | null;
    /** The name's bytes, one character per byte. */
    file_name: string;
    /** Its file in the account's spool; stays when the client renames what it sees. */
    spool_name: string;
    mode: SubmitMode;
    sha256: string;
    size: number;
    received_at: number;
    state: ItemState;
    duplicate_of: string | null;
    next_attempt_at: number;
    lease_owner: string | null;
    lease_until: number;
    /** 1: the spool had it and the ledger did not, so an earlier attempt may have got through. */
    recovered: number;
    family: string | null;
    document_id: string | null;
    sender: string | null;
    receiver: string | null;
    integration_id: string | null;
    reason: string | null;
    /** When it left `pending`; null while it is. */
    ended_at: number | null;
    /** The item that it sends again. */
    resends: string | null;
  };
  /** A try to hand an item over; `outcome` null = not known. */
  attempts: AttemptSilence & { item: string; number: number; at: number; outcome: string | null };
  /** Files owed to a home: staged, named, and renamed into place. */
  publications: {
    publication: Generated<number>;
    account_reg_no: string;
    home: string;
    folder: PublicationFolder;
    name: string;
    staged: string;
    /** Item or integrationId. */
    subject: string;
    stage: string;
    written_at: number | null;
  };
  /** Accounts or families that wait after an answer that refused the whole of them; family '' is all. */
  pauses: { account_reg_no: string; family: string; since: number; until: number; reason: string };

  /** Documents that the service lists for the account, in the order in which they were met. */
  documents: {
    sequence: Generated<number>;
    account_reg_no: string;
    family: string;
    integration_id: string;
    version: number;
    content_sha256: string | null;
    list_sha256: string | null;
    state: DocumentState;
    marked_at: number | null;
    /** In which round of its feed the service may have moved it in its list. */
    moved_in: Generated<number>;
  };

  /** Addresses and logins that did not get in lately; a bounded number of rows. */
  rejects: {
    address: string;
    /** '' when the client has not named one. */
    login: string;
    at: number;
    times: number;
    reason: string;
    client: string;
    /** JSON: the algorithms that it offered. */
    offer: string | null;
    explanation: string;
  };
}

/**
 * `seen`: there before the account's first start; `unread`: seen, and not known to have been read; `stuck`: could not be published so far;
 * `published`: in the outbox, or owed to it.
 */
export type DocumentState = 'seen' | 'unread' | 'stuck' | 'published';

export type PublicationFolder = Exclude<HomeFolder, 'inbox'>;

export type Rows = Kysely<Tables>;
export type Ledger = Database<Tables>;

const HAS_SECRETS = sql`exists (select 1 from accounts where service_key is not null) or exists (select 1 from partners)`;

export const migrations: Migrations = {
  '0001-straight-path': {
    async up(db: Kysely<unknown>): Promise<void> {
      const { schema } = db;
      await schema
        .createTable('accounts')
        .addColumn('account_reg_no', 'text', (c) => c.primaryKey())
        .addColumn('service_key', 'blob', (c) => c.notNull())
        .addColumn('receipts', 'text')
        .addColumn('disabled_at', 'integer')
        .addColumn('created_at', 'integer', (c) => c.notNull())
        .execute();
      await schema
        .createTable('logins')
        .addColumn('login', 'text', (c) => c.primaryKey())
        .addColumn('password_hash', 'text')
        .addColumn('disabled_at', 'integer')
        .addColumn('created_at', 'integer', (c) => c.notNull())
        .execute();
      await schema
        .createTable('login_keys')
        .addColumn('login', 'text', (c) => c.notNull())
        .addColumn('public_key', 'text', (c) => c.notNull())
        .addPrimaryKeyConstraint('login_keys_pk', ['login', 'public_key'])
        .execute();
      await schema
        .createTable('login_homes')
        .addColumn('login', 'text', (c) => c.notNull())
        .addColumn('account_reg_no', 'text', (c) => c.notNull())
        .addColumn('folder', 'text', (c) => c.notNull())
        .addPrimaryKeyConstraint('login_homes_pk', ['login', 'account_reg_no'])
        .execute();
      await schema
        .createTable('revisions')
        .addColumn('name', 'text', (c) => c.primaryKey())
        .addColumn('revision', 'integer', (c) => c.notNull())
        .execute();

      await schema
        .createTable('items')
        .addColumn('item', 'text', (c) => c.primaryKey())
        .addColumn('account_reg_no', 'text', (c) => c.notNull())
        .addColumn('login', 'text')
        .addColumn('file_name', 'text', (c) => c.notNull())
        .addColumn('spool_name', 'text', (c) => c.notNull())
        .addColumn('mode', 'text', (c) => c.notNull())
        .addColumn('sha256', 'text', (c) => c.notNull())
        .addColumn('size', 'integer', (c) => c.notNull())
        .addColumn('received_at', 'integer', (c) => c.notNull())
        .addColumn('state', 'text', (c) => c.notNull())
        .addColumn('duplicate_of', 'text')
        .addColumn('next_attempt_at', 'integer', (c) => c.notNull())
        .addColumn('lease_owner', 'text')
        .addColumn('lease_until', 'integer', (c) => c.notNull())
        .addColumn('recovered', 'integer', (c) => c.notNull())
        .addColumn('family', 'text')
        .addColumn('document_id', 'text')
        .addColumn('sender', 'text')
        .addColumn('receiver', 'text')
        .addColumn('integration_id', 'text')
        .addColumn('reason', 'text')
        .execute();
      await schema.createIndex('items_due').on('items').columns(['state', 'next_attempt_at']).execute();
      await schema.createIndex('items_lane').on('items').columns(['account_reg_no', 'state', 'sender', 'receiver', 'item']).execute();
      await schema
        .createIndex('items_document')
        .on('items')
        .columns(['account_reg_no', 'family', 'document_id', 'state', 'item'])
        .execute();
      await schema
        .createTable('attempts')
        .addColumn('item', 'text', (c) => c.notNull())
        .addColumn('number', 'integer', (c) => c.notNull())
        .addColumn('at', 'integer', (c) => c.notNull())
        .addColumn('outcome', 'text')
        .addPrimaryKeyConstraint('attempts_pk', ['item', 'number'])
        .execute();
      await schema
        .createTable('publications')
        .addColumn('publication', 'integer', (c) => c.primaryKey().autoIncrement())
        .addColumn('account_reg_no', 'text', (c) => c.notNull())
        .addColumn('folder', 'text', (c) => c.notNull())
        .addColumn('name', 'text', (c) => c.notNull())
        .addColumn('staged', 'text', (c) => c.notNull())
        .addColumn('subject', 'text', (c) => c.notNull())
        .addColumn('stage', 'text', (c) => c.notNull())
        .addColumn('written_at', 'integer')
        .addUniqueConstraint('publications_name', ['account_reg_no', 'folder', 'name'])
        .addUniqueConstraint('publications_subject', ['account_reg_no', 'subject', 'folder', 'stage'])
        .execute();
      await schema.createIndex('publications_owed').on('publications').columns(['written_at', 'publication']).execute();
      await schema
        .createTable('pauses')
        .addColumn('account_reg_no', 'text', (c) => c.notNull())
        .addColumn('family', 'text', (c) => c.notNull())
        .addColumn('until', 'integer', (c) => c.notNull())
        .addColumn('reason', 'text', (c) => c.notNull())
        .addPrimaryKeyConstraint('pauses_pk', ['account_reg_no', 'family'])
        .execute();

      await schema
        .createTable('documents')
        .addColumn('sequence', 'integer', (c) => c.primaryKey().autoIncrement())
        .addColumn('account_reg_no', 'text', (c) => c.notNull())
        .addColumn('family', 'text', (c) => c.notNull())
        .addColumn('integration_id', 'text', (c) => c.notNull())
        .addColumn('version', 'integer', (c) => c.notNull())
        .addColumn('content_sha256', 'text')
        .addColumn('list_sha256', 'text')
        .addColumn('state', 'text', (c) => c.notNull())
        .addColumn('marked_at', 'integer')
        .addUniqueConstraint('documents_id', ['account_reg_no', 'integration_id'])
        .execute();
      await schema.createIndex('documents_sequence').on('documents').columns(['account_reg_no', 'family', 'sequence']).execute();
      await schema.createIndex('documents_unmarked').on('documents').columns(['account_reg_no', 'family', 'marked_at']).execute();
      await schema
        .createTable('sweeps')
        .addColumn('account_reg_no', 'text', (c) => c.notNull())
        .addColumn('family', 'text', (c) => c.notNull())
        .addColumn('complete', 'integer', (c) => c.notNull())
        .addColumn('dirty', 'integer', (c) => c.notNull())
        .addColumn('started', 'integer', (c) => c.notNull())
        .addColumn('page_limit', 'integer', (c) => c.notNull())
        .addPrimaryKeyConstraint('sweeps_pk', ['account_reg_no', 'family'])
        .execute();
    },
  },
  '0002-rejects': {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('rejects')
        .addColumn('address', 'text', (c) => c.notNull())
        .addColumn('login', 'text', (c) => c.notNull())
        .addColumn('at', 'integer', (c) => c.notNull())
        .addColumn('times', 'integer', (c) => c.notNull())
        .addColumn('reason', 'text', (c) => c.notNull())
        .addColumn('client', 'text', (c) => c.notNull())
        .addColumn('offer', 'text')
        .addColumn('explanation', 'text', (c) => c.notNull())
        .addPrimaryKeyConstraint('rejects_pk', ['address', 'login'])
        .execute();
      await db.schema.createIndex('rejects_at').on('rejects').columns(['at']).execute();
    },
  },
  '0003-login-rules': {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .alterTable('logins')
        .addColumn('rules', 'text', (c) => c.notNull().defaultTo('{}'))
        .execute();
    },
  },
  '0004-hints': {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .alterTable('accounts')
        .addColumn('hints', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
      await db.schema
        .createTable('hints')
        .addColumn('account_reg_no', 'text', (c) => c.primaryKey())
        .addColumn('secret_sha256', 'text', (c) => c.notNull())
        .addColumn('webhook_id', 'text')
        .execute();
    },
  },
  '0005-deliveries': { up: (database) => addDeliveries(database) },
  '0006-partners': { up: (database) => addPartners(database) },
  '0007-poll': { up: (database) => addPolling(database) },
  '0008-receipts': { up: (database) => addReceipts(database) },
  '0010-drop': { up: (database) => addDropRules(database) },
  '0011-submit': { up: (database) => addSubmitting(database) },
  '0012-owed': { up: (database) => indexOwedOnly(database) },
  '0013-silences': { up: (database) => addSilences(database) },
  '0014-rounds': { up: (database) => addRounds(database) },
  '0015-narrow-indexes': { up: (database) => narrowIndexes(database) },
  '0016-sealing': { up: (database) => addSealing(database, HAS_SECRETS) },
  '0017-turned-away': { up: (database) => addTurnedAway(database) },
};
