// Subscriptions, and events that are posted to them.
import { blob, integer, key, nullable, refers, text } from '#engines/schema.ts';

export const webhooks = {
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
