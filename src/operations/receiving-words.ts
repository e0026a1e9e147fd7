// How documents are received for an account, in words: as options of `dropgate account receiving` and declarations have it.
import type { ReceivingChanges, ReceivingRules } from '#gateway/model/receiving.ts';
import type { DeclaredReceiving } from './declaration.ts';
import { durationOf, timeText } from './durations.ts';

/** The times among the rules, each with the word for none at all. */
const NONE = { keepOutbox: 'forever', pickup: 'never', archive: 'none' } as const;
type Time = keyof typeof NONE;

/** `text` as an option or a declaration has it. Throws `usage`. */
export function receivingTime(rule: Time, option: string, text: string | undefined): ReceivingChanges {
  if (text === undefined) return {};
  if (text === 'default') return { [rule]: null };
  return { [rule]: text === NONE[rule] ? 0 : durationOf(option, text, '1h', '3650d') };
}

function toldTime(rule: Time, ms: number | undefined): Partial<Record<Time, string>> {
  return ms === undefined ? {} : { [rule]: ms === 0 ? NONE[rule] : timeText(ms) };
}

/** The rules as a declaration has them. */
export function toldReceiving({ keepOutbox, pickup, archive, ...rules }: ReceivingRules): DeclaredReceiving {
  return { ...rules, ...toldTime('keepOutbox', keepOutbox), ...toldTime('pickup', pickup), ...toldTime('archive', archive) };
}

/** The rules that a declaration sets. Throws `usage`. */
export function receivingIn({ keepOutbox, pickup, archive, ...rules }: DeclaredReceiving): ReceivingChanges {
  return {
    ...rules,
    ...receivingTime('keepOutbox', 'keepOutbox', keepOutbox),
    ...receivingTime('pickup', 'pickup', pickup),
    ...receivingTime('archive', 'archive', archive),
  };
}
