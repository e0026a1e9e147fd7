// What is sent, and the files that are owed to homes.
// Indexes hold only the rows that are looked for by them: what ends leaves them, and nothing is written there for it. What they hold is told by
// nulls: where an index is for one state, SQLite plans each query for a state that is a bound value anew at each run.
import { integer, key, nullable, preset, text } from '#engines/schema.ts';
import type { ItemState, SubmitMode } from '#gateway/model/item.ts';
import type { OrderAnswer } from '#gateway/model/order-answer.ts';
import type { HomeFolder } from '#gateway/model/rule-words.ts';

export type PublicationFolder = Exclude<HomeFolder, 'inbox'>;

export const sending = {
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
