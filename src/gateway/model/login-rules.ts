// What a login is held to beyond its key or password: where from, by what, until when, how much. One schema for ledger, file and command.

import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { checkedName } from '#domain/account.ts';
import { endOfDay } from '#domain/day.ts';
import { AppError, messageOf } from '#domain/error.ts';
import { ownJson } from '#domain/json.ts';
import { isWithin, networksOf } from '#runtime/networks.ts';
import { checkLayout, Layout } from './layout.ts';
import { ANSWERS, CHARSETS, METHOD_RULES, REMOVAL_RULES, VERDICT_RULES } from './rule-words.ts';

const NETWORKS_MAX = 100;
const COUNT_MAX = 100_000;
const HOME_FILES_MAX = 10_000_000;

/** As it stands in the ledger and in a declaration; a rule that is absent demands nothing. */
export const LoginRules = Type.Object(
  {
    /** Addresses and networks that it may come from. */
    allow: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: NETWORKS_MAX })),
    methods: Type.Optional(Type.Enum(METHOD_RULES)),
    /** The last day, in UTC: `2027-03-31`. */
    expires: Type.Optional(Type.String()),
    sessionsMax: Type.Optional(Type.Integer({ minimum: 1, maximum: COUNT_MAX })),
    readOnly: Type.Optional(Type.Boolean()),
    /** Removing a file that was taken is refused, with the reason; without the rule it is only taken out of sight. */
    removal: Type.Optional(Type.Enum(REMOVAL_RULES)),
    /** `strict`: the rules are asked before CLOSE is answered, and what breaks them is not taken. */
    verdict: Type.Optional(Type.Enum(VERDICT_RULES)),
    /** The folders that answer which it has. */
    answers: Type.Optional(Type.Array(Type.Enum(ANSWERS), { maxItems: ANSWERS.length, uniqueItems: true })),
    /** The home in whose receipts lies the file of each day over all its homes. */
    reconciliation: Type.Optional(Type.String()),
    /** What may lie in a home, before nothing more can be uploaded to it. */
    homeBytesMax: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    homeFilesMax: Type.Optional(Type.Integer({ minimum: 1, maximum: HOME_FILES_MAX })),
    charset: Type.Optional(Type.Enum(CHARSETS)),
    /** Under which names it sees the folders of its homes. */
    layout: Type.Optional(Layout),
  },
  { additionalProperties: false },
);
export type LoginRules = Readonly<Static<typeof LoginRules>>;

/** Rules to set; null takes one back. */
export type RuleChanges = { readonly [Rule in keyof LoginRules]?: LoginRules[Rule] | null };

const checker = Compile(LoginRules);

/** The rules with the changes made to them, in the schema's order. Throws `usage` for a network or a day that is none. */
export function changedRules(rules: LoginRules, changes: RuleChanges): LoginRules {
  const given: Readonly<Record<string, unknown>> = { ...rules, ...changes };
  const kept = Object.keys(LoginRules.properties).flatMap((name) => (isHeld(given[name]) ? [[name, given[name]]] : []));
  return checkedRules(Object.fromEntries(kept));
}

/** `readOnly: false` and an empty list are the same as no rule. */
function isHeld(value: unknown): boolean {
  return value !== null && value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

/** The rules as they were written by us. Throws `storage`. */
export function readRules(text: string): LoginRules {
  return ownJson(text, checker, 'The rules of a login cannot be read.');
}

function checkedRules(rules: unknown): LoginRules {
  if (!checker.Check(rules)) throw new AppError('usage', 'These are no rules for a login.');
  if (rules.expires !== undefined && endOfDay(rules.expires) === undefined) {
    throw new AppError('usage', `'${rules.expires}' is no day: write it as 2027-03-31.`);
  }
  checkLayout(rules.layout, rules.answers ?? []);
  if (rules.reconciliation !== undefined) checkedName('The home of reconciliation', rules.reconciliation);
  try {
    networksOf(rules.allow ?? []);
  } catch (error) {
    throw new AppError('usage', `${messageOf(error)}: write 10.0.0.5 or 10.1.0.0/16.`);
  }
  return rules;
}

/** When the login's last day has ended; Infinity when it has none. */
export function expiryMs({ expires }: LoginRules): number {
  if (expires === undefined) return Number.POSITIVE_INFINITY;
  // A day that cannot be read lets no login in.
  return endOfDay(expires) ?? Number.NEGATIVE_INFINITY;
}

export function mayComeFrom({ allow }: LoginRules, address: string): boolean {
  return allow === undefined || isWithin(networksOf(allow), address);
}
