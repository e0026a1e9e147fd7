// What leaves for the network, and what comes from it.
import type { TransmissionState } from '#core/model/transmission.ts';
import { blob, integer, key, nullable, preset, text } from '#engines/schema.ts';
import { ofAccount } from './access.ts';
import { ofMessage } from './messages.ts';

export const network = {
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
