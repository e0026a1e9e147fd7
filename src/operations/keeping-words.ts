// For how long an account's things are kept, in words: as options of `dropgate account set` and declarations have it.
import type { KeepChanges, KeepRules } from '#gateway/model/keeping.ts';
import type { DeclaredKeep } from './declaration.ts';
import { durationOf, timeText } from './durations.ts';

/** The word for no end. */
const FOREVER = 'forever';

/** As options and declarations have them: a duration, `forever` where it may have no end, or `default`. */
export interface KeepOptions {
  readonly keepItems?: string;
  readonly keepAccepted?: string;
  readonly keepReceipts?: string;
  readonly keepFailedUploads?: string;
  readonly keepMessages?: string;
}

/** What is to be kept at the gateway. Throws `usage`. */
export function keepingHere({ keepItems, keepAccepted, keepReceipts, keepFailedUploads }: KeepOptions): KeepChanges {
  return {
    ...(keepItems !== undefined && { items: timeOf('--keep-items', keepItems, '1d', true) }),
    ...(keepAccepted !== undefined && { accepted: timeOf('--keep-accepted', keepAccepted, '1h', false) }),
    ...(keepReceipts !== undefined && { receipts: timeOf('--keep-receipts', keepReceipts, '1h', false) }),
    ...(keepFailedUploads !== undefined && { failedUploads: timeOf('--keep-failed-uploads', keepFailedUploads, '1h', false) }),
  };
}

/** For how long the core keeps messages; undefined where nothing is said. Throws `usage`. */
export function keepingInCore({ keepMessages }: KeepOptions): number | null | undefined {
  return keepMessages === undefined ? undefined : timeOf('--keep-messages', keepMessages, '30d', true);
}

function timeOf(option: string, text: string, min: string, mayBeForever: boolean): number | null {
  if (text === 'default') return null;
  return mayBeForever && text === FOREVER ? 0 : durationOf(option, text, min, '3650d');
}

/** As a declaration has them; undefined where all is as the settings say. */
export function toldKeeping({ items, accepted, receipts, failedUploads }: KeepRules, messages: number | null): DeclaredKeep | undefined {
  const periods = { items, accepted, receipts, failedUploads, messages: messages ?? undefined };
  const told = Object.entries(periods).flatMap(([what, ms]) =>
    ms === undefined ? [] : [[what, ms === 0 ? FOREVER : timeText(ms)] as const],
  );
  return told.length === 0 ? undefined : Object.fromEntries(told);
}

/** As if they had been given as options. */
export function keepingIn({ items, accepted, receipts, failedUploads, messages }: DeclaredKeep): KeepOptions {
  return {
    ...(items !== undefined && { keepItems: items }),
    ...(accepted !== undefined && { keepAccepted: accepted }),
    ...(receipts !== undefined && { keepReceipts: receipts }),
    ...(failedUploads !== undefined && { keepFailedUploads: failedUploads }),
    ...(messages !== undefined && { keepMessages: messages }),
  };
}
