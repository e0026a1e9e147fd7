// Operators, and the processes that share homes.
import { integer, key, nullable, preset, refers, text } from '#engines/schema.ts';
import type { OperatorRole } from '#gateway/model/operator.ts';

export const operating = {
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
      /** When its start had ended: others give it no homes before. */
      started_at: nullable(integer()),
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
