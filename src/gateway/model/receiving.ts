// How documents are received for an account: where it starts, whether they are marked, and what becomes of them in the outbox. One schema
// for ledger and command; rules that are not set follow the settings.

import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { endOfDay } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { ownJson } from '#domain/json.ts';
import { OUTBOX_RULES } from './rule-words.ts';

const Milliseconds = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const ReceivingRules = Type.Object(
  {
    /** What of that which is at the service before the first start goes to the outbox: `unread`, `now` (nothing), `all`, or a day. */
    from: Type.Optional(Type.String()),
    /** False: nothing is marked read, for others read the account's documents, too. */
    marks: Type.Optional(Type.Boolean()),
    outbox: Type.Optional(Type.Enum(OUTBOX_RULES)),
    /** How long a document may lie in the outbox; 0 is for ever. */
    keepOutbox: Type.Optional(Milliseconds),
    /** After how long in the outbox an alarm is logged; 0 is never. */
    pickup: Type.Optional(Milliseconds),
    /** How long a copy of each document is kept; 0 keeps none. */
    archive: Type.Optional(Milliseconds),
  },
  { additionalProperties: false },
);
export type ReceivingRules = Readonly<Static<typeof ReceivingRules>>;

/** Rules to set; null takes one back. */
export type ReceivingChanges = { readonly [Rule in keyof ReceivingRules]?: ReceivingRules[Rule] | null };

const FROM_WORDS = ['unread', 'now', 'all'] as const;

const checker = Compile(ReceivingRules);

/** The rules with the changes made to them. Throws `usage` for a day that is none. */
export function changedReceiving(rules: ReceivingRules, changes: ReceivingChanges): ReceivingRules {
  const given = Object.entries({ ...rules, ...changes }).filter(([, value]) => value !== null && value !== undefined);
  const changed: unknown = Object.fromEntries(given);
  if (!checker.Check(changed)) throw new AppError('usage', 'These are no rules for receiving.');
  const { from } = changed;
  if (from !== undefined && !FROM_WORDS.some((word) => word === from) && endOfDay(from) === undefined) {
    throw new AppError('usage', `'${from}' is no start: write unread, now, all, or a day such as 2027-03-31.`);
  }
  return changed;
}

/** The rules as they were written by us. Throws `storage`. */
export function readReceiving(text: string): ReceivingRules {
  return ownJson(text, checker, 'The rules by which an account receives cannot be read.');
}
