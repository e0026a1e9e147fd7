// For how long is kept what has ended: rules of an account, and what follows for it from them and the settings.
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { ownJson } from '#domain/json.ts';

const Milliseconds = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const KeepRules = Type.Object(
  {
    /** Items in the ledger that have ended, with their attempts and publications; 0 is for ever. */
    items: Type.Optional(Milliseconds),
    /** Originals that the service took. */
    accepted: Type.Optional(Milliseconds),
    /** Receipts, and originals that were refused. */
    receipts: Type.Optional(Milliseconds),
    /** What is known of uploads that came to nothing. */
    failedUploads: Type.Optional(Milliseconds),
  },
  { additionalProperties: false },
);
export type KeepRules = Readonly<Static<typeof KeepRules>>;

/** Rules to set; null takes one back. */
export type KeepChanges = { readonly [Rule in keyof KeepRules]?: number | null };

const checker = Compile(KeepRules);

/** The rules with the changes made to them. */
export function changedKeeping(rules: KeepRules, changes: KeepChanges): KeepRules {
  return Object.fromEntries(Object.entries({ ...rules, ...changes }).filter(([, value]) => value !== null));
}

/** The rules as they were written by us. Throws `storage`. */
export function readKeeping(text: string): KeepRules {
  return ownJson(text, checker, 'The periods of an account cannot be read.');
}

/** Null is for ever. */
export interface KeepSettings {
  readonly keepItems: number | null;
  readonly keepAccepted: number;
  readonly keepReceipts: number;
  readonly keepFailedUploads: number;
}

/** In milliseconds. */
export interface Keeping {
  /** Never shorter than the others: an original in a home is sent again by its item. */
  readonly items: number;
  readonly accepted: number;
  readonly receipts: number;
  readonly failedUploads: number;
}

export function keepingOf(rules: KeepRules, settings: KeepSettings): Keeping {
  const accepted = rules.accepted ?? settings.keepAccepted;
  const receipts = rules.receipts ?? settings.keepReceipts;
  const items = rules.items ?? settings.keepItems ?? 0;
  return {
    accepted,
    receipts,
    items: items === 0 ? Number.POSITIVE_INFINITY : Math.max(items, accepted, receipts),
    failedUploads: rules.failedUploads ?? settings.keepFailedUploads,
  };
}
