// The core's ledger: its tables. Times are milliseconds since 1970.
import type { Kysely } from 'kysely';
import type { TransmissionState } from '#core/model/transmission.ts';
import { STRICT } from '#domain/validation.ts';
import type { Database } from '#engines/database.ts';
import { blob, integer, key, nullable, preset, refers, type TablesOf, text } from '#engines/schema.ts';

export type Tables = TablesOf<typeof coreSchema>;
export type Ledger = Database<Tables>;
/** The rows of one transaction, or committed rows to read. */
export type Rows = Kysely<Tables>;

const ofAccount = () => refers(text(), 'accounts (account_reg_no)');
const ofPartner = () => refers(text(), 'partners (partner_reg_no)');
const ofMessage = () => refers(integer(), 'messages (sequence)');

const access = {
  accounts: {
    columns: {
      account_reg_no: text(),
      name: text(),
      enabled: integer(),
      /** Features. Without `apiIntegration` the account's own credentials get 403 on the transaction endpoints. */
      api_integration: integer(),
      sftp_integration: preset(integer(), 1),
      capture: preset(integer(), 0),
      /** Requests per window; null is what every account may spend. */
      requests_max: nullable(integer()),
      /** The company's profile, as JSON. */
      profile: preset(text(), '{}'),
      /** How strictly its documents are judged: see domain/validation. */
      validation_severity: preset(text(), STRICT.severity),
      validation_profiles: preset(text(), STRICT.profiles),
      validation_verify: preset(text(), STRICT.verify),
      /** For how long its messages are kept; null: as the settings say; 0: for ever. */
      keep_messages: nullable(integer()),
      created_at: integer(),
    },
    primaryKey: '(account_reg_no)',
  },
  participants: { columns: { participant: text(), account_reg_no: ofAccount() }, primaryKey: '(participant)' },
  partners: {
    columns: {
      partner_reg_no: text(),
      name: text(),
      enabled: integer(),
      created_at: integer(),
      /** Requests per window of all its tokens together; null is the usual budget. */
      requests_max: nullable(integer()),
      /** Accounts that it may have made or been linked to before it may make no more; null is the usual number. */
      children_max: nullable(integer()),
    },
    primaryKey: '(partner_reg_no)',
  },
  /** A partner's children, and a child's partners. */
  partner_links: {
    columns: { partner_reg_no: ofPartner(), account_reg_no: ofAccount() },
    primaryKey: '(partner_reg_no, account_reg_no)',
    indexes: { partner_links_of: '(account_reg_no)' },
  },
  api_keys: {
    columns: {
      /** By which tokens name it; random, so that a restored ledger never gives it to another key. */
      key_id: text(),
      /** SHA-256 of the key, hex. The key itself is nowhere. */
      sha256: text(),
      account_reg_no: nullable(ofAccount()),
      partner_reg_no: nullable(ofPartner()),
      scope: text(),
      created_at: integer(),
      expires_at: nullable(integer()),
    },
    primaryKey: '(sha256)',
    uniques: { api_keys_id: '(key_id)' },
  },
  /** Ed25519 keys that sign tokens: the public half as RFC 8037 writes it, the private one sealed. */
  signing_keys: {
    columns: { kid: text(), x: text(), sealed: blob(), created_at: integer(), retired_at: nullable(integer()) },
    primaryKey: '(kid)',
  },
} as const;

const messages = {
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

const webhooks = {
  webhooks: {
    columns: {
      /** UUID. */
      id: text(),
      /** `account`: an account's own; `partner`: a partner's own; `child`: a partner's for one of its children. */
      scope: text(),
      /** '' for an account's own. */
      partner_reg_no: text(),
      /** Whose events it gets; of a partner's own the partner's number. */
      account_reg_no: text(),
      url: text(),
      /** Event types, as a JSON array. */
      types: text(),
      enabled: integer(),
      /** Why it was disabled: `gone` (410), `failing`, or `key-lost` (its authentication cannot be read any more); null when an administrator did. */
      disabled_reason: nullable(text()),
      auth_type: nullable(text()),
      /** The outbound authentication, JSON, sealed. */
      auth_sealed: nullable(blob()),
      /** The secret that deliveries are signed with, sealed. */
      signing_sealed: nullable(blob()),
      /** The first failure since the last success. */
      failing_since: nullable(integer()),
      /** The receiver asked to wait until then. */
      paused_until: nullable(integer()),
      /** Where there are several cores: the one whose turn it is, by its incarnation, and until when at the most. */
      held_by: nullable(text()),
      held_until: nullable(integer()),
      created_at: integer(),
      updated_at: integer(),
    },
    primaryKey: '(id)',
    // By account: each stored message looks up its subscribers.
    uniques: { webhooks_holder: '(account_reg_no, scope, partner_reg_no)' },
  },
  /** One row per event and subscription, until it was delivered; then it goes. */
  webhook_events: {
    columns: {
      sequence: key(),
      /** UUID, the `webhook-id` of every try. */
      event_id: text(),
      webhook_id: refers(text(), 'webhooks (id) on delete cascade'),
      type: text(),
      body: text(),
      created_at: integer(),
      /** Tries that failed; also tells one try from the next. */
      attempts: integer(),
      /** When it is tried next. Null is a dead letter. */
      next_attempt_at: nullable(integer()),
      /** The outcome of the last try, in words. */
      last_reason: nullable(text()),
      dead_at: nullable(integer()),
    },
    uniques: { webhook_events_id: '(event_id)' },
    indexes: {
      webhook_events_due: '(webhook_id, next_attempt_at, sequence) where next_attempt_at is not null',
      webhook_events_dead: '(dead_at) where dead_at is not null',
      webhook_events_of: '(webhook_id)',
    },
  },
} as const;

const network = {
  /** One row per version of an outgoing message that leaves this core. */
  transmissions: {
    columns: {
      /** UUID, derived from the message and its version: the same however often it is tried. */
      instance_id: text(),
      sequence: ofMessage(),
      version: integer(),
      account_reg_no: ofAccount(),
      /** See model/transmission.ts. Of one that has ended it goes by the status of its message, and is written in the same transaction. */
      state: text<TransmissionState>(),
      /** 1 when the receiver is known to take it; otherwise it is looked up first. */
      found: integer(),
      /** Tries that were begun in this state; also tells one try from the next. */
      attempts: integer(),
      /** When the next try or question is due; during one, the end of its lease. Null when the transmission has ended. */
      next_attempt_at: nullable(integer()),
      /** The core that tries it now: its incarnation. */
      held_by: nullable(text()),
      /** The access point's id of it. */
      access_point_id: nullable(text()),
      last_reason: nullable(text()),
      created_at: integer(),
      handed_at: nullable(integer()),
      /** When the last hand-over of unknown outcome began, or ended. */
      posted_at: nullable(integer()),
      /** When the access point first reported a response code without the response's document. */
      answer_seen_at: nullable(integer()),
    },
    primaryKey: '(instance_id)',
    indexes: {
      transmissions_of: '(sequence, version)',
      transmissions_listed: '(state, created_at, instance_id)',
      transmissions_listed_of: '(account_reg_no, state, created_at, instance_id)',
      transmissions_due: '(next_attempt_at) where next_attempt_at is not null',
      transmissions_held: '(held_by) where held_by is not null',
    },
  },
  /** Participants of accounts, which are looked up every day as other senders would. */
  watched: {
    columns: {
      participant: text(),
      next_look_at: integer(),
      /** When a look-up was last answered. */
      looked_up_at: nullable(integer()),
      /** Of the access point, when it was looked up first. */
      address: nullable(text()),
      certificate_ends_at: nullable(integer()),
      /** Look-ups without an answer since the last one with it. */
      failures: integer(),
      /** When the first of these was. */
      failing_since: nullable(integer()),
      /** Of the last of these. */
      last_reason: nullable(text()),
    },
    primaryKey: '(participant)',
    indexes: { watched_due: '(next_look_at)' },
  },
  /** Differences that the look-ups have found. */
  differences: {
    columns: { participant: text(), what: text(), detail: text(), since: integer() },
    primaryKey: '(participant, what, detail)',
  },
  /** Envelopes that came, so that none is taken twice. */
  receptions: { columns: { instance_id: text(), sender: text(), received_at: integer() }, primaryKey: '(instance_id)' },
  /** Responses of receivers: message level statuses and responses, and invoice responses. */
  responses: {
    columns: {
      response: key(),
      /** The id of its envelope; empty while only the access point has reported the code. */
      instance_id: text(),
      /** The message that it responds to; null when there is none. */
      sequence: nullable(ofMessage()),
      kind: text(),
      code: text(),
      reason: nullable(text()),
      /** JSON array: its findings. */
      findings: preset(text(), '[]'),
      received_at: integer(),
      document: blob(),
    },
    indexes: { responses_of: '(sequence)' },
  },
  /** Documents that were turned away before the access point accepted them, with their findings. */
  turned_away: {
    columns: {
      /** In the order in which they came. */
      sequence: key(),
      /** Of the envelope: it is turned away once, however often it is asked about. */
      instance_id: text(),
      account_reg_no: text(),
      sender: text(),
      receiver: text(),
      family: text(),
      document_id: text(),
      turned_away_at: integer(),
      /** JSON. */
      findings: text(),
      /** Of the document, hex. */
      sha256: text(),
      /** Bytes of the document, also when it is not kept any more. */
      size: integer(),
      /** Null when the account has had too many since. */
      document: nullable(blob()),
    },
    uniques: { turned_away_id: '(instance_id)' },
    indexes: { turned_away_of: '(account_reg_no, sequence)' },
  },
} as const;

export const coreSchema = { version: 4, tables: { ...access, ...messages, ...webhooks, ...network } } as const;
