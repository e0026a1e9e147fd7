// Messages with their versions and their log, and what was asked for about them.
import { blob, integer, key, nullable, refers, text } from '#engines/schema.ts';
import { ofAccount } from './access.ts';

export const ofMessage = () => refers(integer(), 'messages (sequence)');

export const messages = {
  messages: {
    columns: {
      sequence: key(),
      integration_id: text(),
      account_reg_no: ofAccount(),
      direction: text(),
      family: text(),
      document_id: text(),
      sender: text(),
      receiver: text(),
      /** What makes a document unique beside the receiver: the sender of an incoming one, '' for an outgoing one (decisions A3). */
      counterparty: text(),
      customization_id: nullable(text()),
      profile_id: nullable(text()),
      issue_date: nullable(text()),
      status: text(),
      /** Why it was rejected, or given up. */
      status_reason: nullable(text()),
      /** The row of `responses` by which it was delivered or rejected. */
      status_response: nullable(integer()),
      version: integer(),
      size: integer(),
      created_at: integer(),
      updated_at: integer(),
      /** 1 when the last update fell on a later day (UTC) than the creation; kept so that few rows need to be looked at for updates. */
      updated_later: integer(),
      read_at: nullable(integer()),
      /** Position in the list of its account, direction and family: without gaps, in the order of creation; what was deleted was before the first. */
      position: integer(),
      /** Of an incoming one: the account of this core that sent it, or posted it for itself; null when it came over the network. */
      origin: nullable(text()),
    },
    // Each index costs a page per message, so there is none by day, which binary search among the positions finds, and none by document id alone.
    uniques: {
      messages_id: '(integration_id)',
      messages_once: '(account_reg_no, direction, family, document_id, receiver, counterparty)',
      messages_position: '(account_reg_no, direction, family, position)',
    },
    indexes: {
      // The read endpoints are polled: unread messages are found without scanning read ones, and the other way round.
      messages_unread: '(account_reg_no, direction, family, position) where read_at is null',
      messages_read: '(account_reg_no, direction, family, position) where read_at is not null',
      // `updated_later` is a column of it, though always 1, so that SQLite prefers it to messages_position.
      messages_updated_later: '(account_reg_no, direction, family, updated_later, position, updated_at) where updated_later = 1',
    },
  },
  /** Apart from the messages, so that lists do not drag bytes along. One row per version. */
  message_contents: {
    columns: { sequence: ofMessage(), version: integer(), notation: text(), sha256: text(), bytes: blob() },
    primaryKey: '(sequence, version)',
  },
  /** What happened to a message, in order. */
  message_log: {
    columns: {
      entry: key(),
      sequence: ofMessage(),
      version: integer(),
      at: integer(),
      event: text(),
      status: text(),
      reason: nullable(text()),
    },
    indexes: { message_log_of: '(sequence)' },
  },
  /** Documents whose messages are not kept any more (taken.ts). */
  taken: {
    columns: {
      /** The digest of what makes a message unique. */
      document: text(),
      integration_id: text(),
      version: integer(),
      /** Of that version's content. */
      sha256: text(),
      /** A digest, too. */
      origin: nullable(text()),
    },
    primaryKey: '(document)',
  },
  /** Finished requests; requests in flight are in the memory of the process that works on them. */
  idempotency_keys: {
    columns: {
      account_reg_no: text(),
      key: text(),
      path: text(),
      /** SHA-256 of the raw body, hex. */
      fingerprint: text(),
      started_at: integer(),
      content_type: text(),
      integration_id: text(),
      response: blob(),
    },
    primaryKey: '(account_reg_no, key)',
  },
  enrichments: {
    columns: {
      polling_id: text(),
      account_reg_no: text(),
      /** JSON array. */
      types: text(),
      file_name: nullable(text()),
      content: nullable(blob()),
      /** JSON, one object per type; null while it is worked on. */
      result: nullable(text()),
      /** The core that works on it, by its incarnation, and until when at the most. */
      held_by: nullable(text()),
      held_until: nullable(integer()),
      created_at: integer(),
      polled_at: nullable(integer()),
    },
    primaryKey: '(polling_id)',
    indexes: {
      enrichments_created: '(created_at)',
      enrichments_waiting: '(account_reg_no, created_at) where result is null',
      enrichments_held: '(held_by) where held_by is not null',
    },
  },
} as const;
