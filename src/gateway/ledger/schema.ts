// The gateway's ledger: its tables. Times are milliseconds since 1970.

import type { Kysely } from 'kysely';
import type { ReceiptForm } from '#domain/receipt-forms.ts';
import type { Database } from '#engines/database.ts';
import { blob, integer, key, nullable, preset, refers, type TablesOf, text } from '#engines/schema.ts';
import type { ItemState, SubmitMode } from '#gateway/model/item.ts';
import type { OperatorRole } from '#gateway/model/operator.ts';
import type { OrderAnswer } from '#gateway/model/order-answer.ts';
import type { HomeFolder } from '#gateway/model/rule-words.ts';

/**
 * `seen`: there before the account's first start; `unread`: seen, and not known to have been read; `stuck`: could not be published so far;
 * `published`: in the outbox, or owed to it.
 */
export type DocumentState = 'seen' | 'unread' | 'stuck' | 'published';

export type PublicationFolder = Exclude<HomeFolder, 'inbox'>;

export type FetchAction = 'downloaded' | 'removed' | 'renamed';

export const ROUND_FIRST = 1;

export type Tables = TablesOf<typeof gatewaySchema>;
export type Rows = Kysely<Tables>;
export type Ledger = Database<Tables>;

const accountsAndLogins = {
  accounts: {
    columns: {
      account_reg_no: text(),
      /** The service's API key for this account, sealed by the key file (seal.ts); null where its partner speaks for it. */
      service_key: nullable(blob()),
      /** The partner by whose tokens the gateway acts for it; null: by a key of its own. */
      partner_reg_no: nullable(text()),
      /** Whose folders it has: its own, or those of the partner's children together. */
      home: text(),
      /** The partner may act for it no more, since then. */
      unlinked_at: nullable(integer()),
      receipts: nullable(text<ReceiptForm>()),
      disabled_at: nullable(integer()),
      created_at: integer(),
      /** 1: our listener for hints is to be registered at the service. */
      hints: preset(integer(), 0),
      /** JSON: how documents are received for it (receiving.ts). */
      receiving: preset(text(), '{}'),
      /** Who judges its documents before they are sent: we, or the service alone; null: as the settings say. */
      validate: nullable(text<'local' | 'core'>()),
      /** When it is told of a receiver that is certainly not registered; null: after many tries. */
      unreachable: nullable(text<'at-once'>()),
      /** `daily`: it gets a reconciliation file for each day. */
      reconciliation: nullable(text<'daily'>()),
      /** Whether repairs of its refused documents are suggested; null: they are not. */
      repair: nullable(text<'suggest'>()),
      /** JSON: for how long is kept what has ended (keeping.ts). */
      keep: preset(text(), '{}'),
    },
    primaryKey: '(account_reg_no)',
  },
  partners: {
    columns: {
      partner_reg_no: text(),
      /** The partner's API key at the service, sealed by the key file. */
      service_key: blob(),
      /** 1: one home for all its children. */
      consolidated: integer(),
      /** The login that sees its children's folders, or its one home. */
      login: nullable(text()),
      created_at: integer(),
    },
    primaryKey: '(partner_reg_no)',
  },
  /** Whose documents are sent from which address: as far as an administrator, or the core beside us, has said. */
  participants: {
    columns: { participant: text(), account_reg_no: text() },
    primaryKey: '(participant)',
    indexes: { participants_account: '(account_reg_no)' },
  },
  /** Accounts for which our listener is registered at the service. */
  hints: {
    columns: { account_reg_no: text(), secret_sha256: text(), webhook_id: nullable(text()) },
    primaryKey: '(account_reg_no)',
  },
  logins: {
    columns: {
      login: text(),
      password_hash: nullable(text()),
      disabled_at: nullable(integer()),
      created_at: integer(),
      /** JSON: what it is held to (login-rules.ts). */
      rules: preset(text(), '{}'),
    },
    primaryKey: '(login)',
  },
  login_keys: { columns: { login: text(), public_key: text() }, primaryKey: '(login, public_key)' },
  login_homes: {
    columns: { login: text(), home: text(), folder: text() },
    primaryKey: '(login, home)',
    // ASCII, as names of folders are (domain/account.ts), so that lower() knows every letter.
    uniques: { login_homes_folder: '(login, lower(folder))' },
  },
  /** How files are dropped into the folders of a home, where that is not as everywhere. */
  drop_rules: {
    columns: {
      home: text(),
      /** The form of the files that say that a document is complete (done-file.ts). */
      done_file: text(),
    },
    primaryKey: '(home)',
  },
  /** One row: moves with every change of accounts and logins, so that a running daemon notices. */
  revisions: { columns: { name: text(), revision: integer() }, primaryKey: '(name)' },
  /** Addresses and logins that did not get in lately; a bounded number of rows. */
  rejects: {
    columns: {
      address: text(),
      /** '' when the client has not named one. */
      login: text(),
      at: integer(),
      times: integer(),
      reason: text(),
      client: text(),
      /** JSON: the algorithms that it offered. */
      offer: nullable(text()),
      explanation: text(),
    },
    primaryKey: '(address, login)',
    indexes: { rejects_at: '(at)' },
  },
} as const;

/**
 * Indexes hold only the rows that are looked for by them: what ends leaves them, and nothing is written there for it. What they hold is told by
 * nulls: where an index is for one state, SQLite plans each query for a state that is a bound value anew at each run.
 */
const sending = {
  items: {
    columns: {
      item: text(),
      /** On whose behalf it is sent; in a home of several accounts the home's name, until its sender decides whose it is. */
      account_reg_no: text(),
      /** Whose spool holds its file, and whose folders get its receipts and its original. */
      home: text(),
      /** Null for a file that came by folder. */
      login: nullable(text()),
      /** The name's bytes, one character per byte. */
      file_name: text(),
      /** Its file in the account's spool; stays when the client renames what it sees. */
      spool_name: text(),
      mode: text<SubmitMode>(),
      sha256: text(),
      size: integer(),
      /** When its first byte came by SFTP; null for a file from a folder. */
      begun_at: nullable(integer()),
      received_at: integer(),
      state: text<ItemState>(),
      duplicate_of: nullable(text()),
      next_attempt_at: integer(),
      lease_owner: nullable(text()),
      lease_until: integer(),
      /** 1: the spool had it and the ledger did not, so an earlier attempt may have got through. */
      recovered: integer(),
      family: nullable(text()),
      document_id: nullable(text()),
      sender: nullable(text()),
      receiver: nullable(text()),
      integration_id: nullable(text()),
      reason: nullable(text()),
      /** When it left `pending`; null while it is. */
      ended_at: nullable(integer()),
      /** The item that it sends again. */
      resends: nullable(text()),
      /** The item that it waits for; null when it waits for a time only. */
      waits_for: nullable(text()),
      /** When its wait began, by which a clock that was put back is noticed. */
      waits_since: preset(integer(), 0),
    },
    primaryKey: '(item)',
    indexes: {
      items_due: '(state, next_attempt_at)',
      // Items that others may have to wait for.
      items_lane: '(account_reg_no, sender, receiver, item) where ended_at is null and sender is not null',
      // Few items have the same document, so their states are looked up: an item need not be moved when it ends.
      items_document: '(account_reg_no, family, document_id, item) where document_id is not null',
      // The newest of an account, whatever became of them.
      items_account: '(account_reg_no, item)',
      // What a login asks of its home (dropped.ts).
      items_home: '(home, document_id, item)',
      items_waits_for: '(waits_for) where waits_for is not null',
      items_resends: '(resends) where resends is not null',
      // By what a person knows of a document (find.ts).
      items_number: '(lower(document_id), item) where document_id is not null',
      items_file: '(lower(file_name), item)',
      items_sender: '(sender, item) where sender is not null',
      items_receiver: '(receiver, item) where receiver is not null',
      items_integration: '(integration_id) where integration_id is not null',
      // Ids end at random, so that by all of a receipt's letters each item would have a page of its own changed. Those with one last letter are in
      // the order of time, and read through without their rows.
      items_ending: '(substr(item, 26), item)',
    },
  },
  /** Versions of documents that the service accepted by items that are not kept any more (sent-before.ts). */
  sent_before: {
    columns: {
      /** The digest of account, family, id and receiver. */
      document: text(),
      item: text(),
      /** Of the file. */
      sha256: text(),
      integration_id: nullable(text()),
      /** What the network was last heard to say of it; '' when nothing was. */
      status: text(),
    },
    primaryKey: '(document, item)',
  },
  /** Answers to orders that were given by moving the order's file (order-answer.ts). */
  order_answers: {
    columns: {
      account_reg_no: text(),
      /** Of the order's content. */
      order_sha256: text(),
      answer: text<OrderAnswer>(),
      /** Of the response. */
      number: text(),
      /** By which the response is sent. */
      item: text(),
      given_at: integer(),
    },
    primaryKey: '(account_reg_no, order_sha256, answer)',
  },
  /** A try to hand an item over; `outcome` null = not known. */
  attempts: {
    columns: {
      item: text(),
      number: integer(),
      at: integer(),
      outcome: nullable(text()),
      /** When its outcome was known. */
      ended_at: nullable(integer()),
      /** What its account and family had been silent for when nothing was learnt from it; null when something was, or when it broke off. */
      silence_ms: nullable(integer()),
    },
    primaryKey: '(item, number)',
  },
  /** Accounts or families that wait after an answer that refused the whole of them; family '' is all. */
  pauses: {
    columns: { account_reg_no: text(), family: text(), since: integer(), until: integer(), reason: text() },
    primaryKey: '(account_reg_no, family)',
  },
  /** One row for each account and family that was ever tried in vain. */
  silences: {
    columns: {
      account_reg_no: text(),
      family: text(),
      /** In sum, and only ever more: an item counts from what stood here when it was first tried in vain. */
      lasts_ms: integer(),
      /** When an item was last tried in vain. */
      at: integer(),
    },
    primaryKey: '(account_reg_no, family)',
  },
  /** Items that the service has, whose documents are still on their way through the network: which status was last reported of each. */
  deliveries: {
    columns: {
      item: text(),
      account_reg_no: text(),
      family: text(),
      integration_id: text(),
      /** '' until a status was reported. */
      status: text(),
      accepted_at: integer(),
      /** 1 while more may come. */
      open: integer(),
    },
    primaryKey: '(item)',
    indexes: {
      deliveries_open: '(open, account_reg_no, family, accepted_at)',
      deliveries_message: '(account_reg_no, integration_id)',
    },
  },
  /** Files owed to a home: staged, named, and renamed into place. */
  publications: {
    columns: {
      publication: key(),
      account_reg_no: text(),
      home: text(),
      folder: text<PublicationFolder>(),
      name: text(),
      staged: text(),
      /** Item or integrationId. */
      subject: text(),
      stage: text(),
      written_at: nullable(integer()),
    },
    uniques: {
      publications_name: '(home, folder, name)',
      publications_subject: '(account_reg_no, subject, folder, stage)',
    },
    indexes: { publications_owed: '(home, publication) where written_at is null' },
  },
} as const;

/** Participants of all documents that were read here, with the names that documents gave them; '' without one. */
const parties = {
  parties: {
    columns: { participant: text(), name: text() },
    primaryKey: '(participant, name)',
    // The value without its scheme of four digits.
    indexes: { parties_value: '(substr(participant, 6))', parties_name: '(lower(name))' },
  },
} as const;

/** What SFTP clients did with files. */
const transferring = {
  /** When each login last got in. */
  last_logins: { columns: { login: text(), address: text(), at: integer() }, primaryKey: '(login)' },
  /** When a login last downloaded a document from the outbox of a home to its end. */
  last_pickups: { columns: { home: text(), login: text(), at: integer() }, primaryKey: '(home, login)' },
  /** Published files that a login has downloaded to the end, removed or renamed: a row for each file, login and action. */
  fetches: {
    columns: {
      publication: integer(),
      login: text(),
      action: text<FetchAction>(),
      /** How the file was called then, or is since. */
      name: text(),
      /** The public key by which the login came, as SHA256:…; null where it came by its password alone. */
      key: nullable(text()),
      address: text(),
      bytes: integer(),
      /** Of what was sent to the client, where that went out in order. */
      sha256: nullable(text()),
      first_at: integer(),
      last_at: integer(),
      times: integer(),
    },
    primaryKey: '(publication, login, action)',
    // Files that have another name than their publication.
    indexes: { fetches_renamed: "(name) where action = 'renamed'" },
  },
  /** Uploads that came to nothing lately: a row for each home, login and file name; a bounded number for each home. */
  failed_uploads: {
    columns: {
      upload: key(),
      home: text(),
      login: text(),
      address: text(),
      /** The name's bytes, one character per byte. */
      file_name: text(),
      /** The most that it had or would have had. */
      size: integer(),
      reason: text(),
      first_at: integer(),
      at: integer(),
      times: integer(),
    },
    uniques: { failed_uploads_file: '(home, login, file_name)' },
    indexes: { failed_uploads_home: '(home, at)', failed_uploads_at: '(at)', failed_uploads_name: '(lower(file_name))' },
  },
} as const;

const receiving = {
  /** Documents that the service lists for the account, in the order in which they were met. */
  documents: {
    columns: {
      sequence: key(),
      account_reg_no: text(),
      family: text(),
      integration_id: text(),
      version: integer(),
      content_sha256: nullable(text()),
      list_sha256: nullable(text()),
      state: text<DocumentState>(),
      marked_at: nullable(integer()),
      /** In which round of its feed the service may have moved it in its list. */
      moved_in: preset(integer(), 0),
      /** Of the version that was published last: when it came, and what its head says. */
      received_at: nullable(integer()),
      document_id: nullable(text()),
      sender: nullable(text()),
      receiver: nullable(text()),
    },
    uniques: { documents_id: '(account_reg_no, integration_id)' },
    indexes: {
      documents_received: '(received_at) where received_at is not null',
      documents_number: '(lower(document_id), sequence) where document_id is not null',
      documents_sender: '(sender, sequence) where sender is not null',
      documents_integration: '(integration_id)',
      documents_sequence: '(account_reg_no, family, sequence)',
      documents_unmarked: '(account_reg_no, family) where marked_at is null',
    },
  },
  /** How far the sweeps of each feed came. */
  sweeps: {
    columns: {
      account_reg_no: text(),
      family: text(),
      /** Sequence up to which documents counted as known when the last sweep was completed. */
      complete: integer(),
      dirty: integer(),
      /** Index of STARTS. */
      started: integer(),
      page_limit: integer(),
      /** When all that was changed in the last days was last compared, and when in the last weeks. */
      recent_at: preset(integer(), 0),
      deep_at: preset(integer(), 0),
      /** Moves with each sweep that is completed. */
      round: preset(integer(), ROUND_FIRST),
    },
    primaryKey: '(account_reg_no, family)',
  },
  /** Documents that could not be put into an outbox so far, or not as they are now. */
  stuck: {
    columns: {
      account_reg_no: text(),
      family: text(),
      integration_id: text(),
      since: integer(),
      tries: integer(),
      tried_at: integer(),
      reason: text(),
    },
    primaryKey: '(account_reg_no, integration_id)',
  },
  /** Documents that are to be published once more. */
  redeliveries: {
    columns: { account_reg_no: text(), family: text(), integration_id: text(), asked_at: integer() },
    primaryKey: '(account_reg_no, integration_id)',
  },
  /** How far the documents that the service has turned away were reported to each account. */
  turned_away_told: { columns: { account_reg_no: text(), sequence: integer() }, primaryKey: '(account_reg_no)' },
} as const;

/** Daily reconciliation files (publish/reconcile.ts); an owner is `account NUMBER` or `login NAME`. */
const reconciling = {
  /** The last day of each owner for which all is done. */
  reconciliations: {
    columns: {
      owner: text(),
      day: text(),
      /** When that day ended: the next one begins there, whatever becomes of the time zone meanwhile. */
      until_at: integer(),
      /** Documents up to this sequence came before then. */
      sequence: integer(),
      /** Of its file; null of the day before the first file. */
      sha256: nullable(text()),
    },
    primaryKey: '(owner)',
  },
  /** What was open at the end of that day, and is carried into the next one; rows of any other day are left from work that broke off. */
  reconciliation_open: {
    columns: {
      owner: text(),
      day: text(),
      direction: text<'sent' | 'received'>(),
      account_reg_no: text(),
      /** An item; or a publication, as text. */
      subject: text(),
    },
    primaryKey: '(owner, day, direction, subject)',
  },
} as const;

const operating = {
  /** Who may log in to the page of the admin listener. */
  operators: {
    columns: {
      operator: text(),
      role: text<OperatorRole>(),
      password_hash: text(),
      disabled_at: nullable(integer()),
      created_at: integer(),
      /** Random; sessions carry it, and end when it is another one. */
      stamp: text(),
      /** Of the secret of the second factor (second-factor.ts); null: the password is enough. */
      totp_salt: nullable(text()),
      /** The step of time whose code was used last: each opens once. */
      totp_step: preset(integer(), 0),
    },
    primaryKey: '(operator)',
  },
  /** The processes that work on homes: by incarnation, where each runs, as sentences name it. A row stays when its process is killed. */
  processes: {
    columns: {
      incarnation: text(),
      place: text(),
      /** Its name, where several share the homes; null: it works alone. */
      node: nullable(text()),
      /** A node has ended when this has passed by the database's clock. */
      lease_until: nullable(integer()),
      /** By the same clock. */
      joined_at: nullable(integer()),
      /** When it began to give its homes up, to end. */
      leaving_at: nullable(integer()),
    },
    primaryKey: '(incarnation)',
    uniques: { processes_node: '(node)' },
  },
  /** Nodes whose leases passed, and which others have ended; the last ones. */
  takeovers: {
    columns: { takeover: key(), node: text(), incarnation: text(), by_node: text(), homes: integer(), at: integer() },
  },
  /** The homes in the hand of a process. */
  homes_in_hand: {
    columns: { home: text(), incarnation: refers(text(), 'processes (incarnation) on delete cascade') },
    primaryKey: '(home)',
    indexes: { homes_in_hand_incarnation: '(incarnation)' },
  },
  /** What another process has changed, for the one that has the home in hand to look at; it takes the rows away. */
  rings: { columns: { ring: key(), home: text(), topic: text(), id: text() }, indexes: { rings_home: '(home, topic, id)' } },
  /** One row: the stamp that lies beside the spool, by which a restored backup is recognised, and while a new one is being put there, the one before it. */
  epochs: { columns: { name: text(), stamp: text(), before: nullable(text()) }, primaryKey: '(name)' },
} as const;

export const gatewaySchema = {
  version: 12,
  tables: { ...accountsAndLogins, ...sending, ...parties, ...transferring, ...receiving, ...reconciling, ...operating },
} as const;
