// What the service has for accounts, and how far that is known.
import { integer, key, nullable, preset, text } from '#engines/schema.ts';

/**
 * `seen`: there before the account's first start; `unread`: seen, and not known to have been read; `stuck`: could not be published so far;
 * `published`: in the outbox, or owed to it.
 */
export type DocumentState = 'seen' | 'unread' | 'stuck' | 'published';

export const ROUND_FIRST = 1;

export const receiving = {
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
      /** Moves with each sweep that is completed, and has met anything new. */
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
