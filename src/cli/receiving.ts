// How documents are received for an account, in words: `dropgate account receiving`, and the same in a declaration.
import type { Command } from 'commander';
import { OUTBOX_RULES, type OutboxRule, type ReceivingChanges, type ReceivingRules } from '#gateway/model/receiving.ts';
import type { Commands } from './commands.ts';
import type { DeclaredReceiving } from './declaration.ts';
import { durationOf, oneOf } from './options.ts';

const HOUR_MS = 3_600_000;

/** What is told when an account is added, before anything is fetched for it. */
export interface StartOptions {
  readonly from?: string;
  readonly marks?: 'on' | 'off';
}

interface ReceivingOptions extends StartOptions {
  readonly outbox?: OutboxRule | 'default';
  readonly keepOutbox?: string;
  readonly pickupAlarm?: string;
  readonly archive?: string;
}

export function addReceiving(account: Commands): void {
  const command = account.asks(
    'receiving <accountRegNo>',
    'account.receiving',
    (accountRegNo: string, options: ReceivingOptions) => ({ accountRegNo, rules: receivingOf(options) }),
    ({ accountRegNo, ...rules }) => {
      const told = Object.entries(rules).map(([rule, value]) => `${rule}=${typeof value === 'number' ? timeText(value) : value}`);
      account.terminal.print([accountRegNo, ...(told.length > 0 ? told : ['follows the settings'])].join('\t'));
    },
  );
  withStart(command)
    .addOption(
      oneOf('--outbox <rule>', 'what removes a document: keep (the client), downloaded (a complete download)', [
        ...OUTBOX_RULES,
        'default',
      ]),
    )
    .option('--keep-outbox <duration>', "how long documents may lie in the outbox: 30d, 'forever' or 'default'")
    .option('--pickup-alarm <duration>', "after how long in the outbox an error is logged: 48h, 'never' or 'default'")
    .option('--archive <duration>', "how long copies of both directions are kept in archive/: 365d, 'none' or 'default'");
}

/** As it is written among the options. */
export function timeText(ms: number): string {
  const hours = ms / HOUR_MS;
  if (hours % 24 === 0) return `${hours / 24}d`;
  if (Number.isInteger(hours)) return `${hours}h`;
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}

export function withStart(command: Command): Command {
  return command
    .option('--from <start>', 'which documents of before its first start go to the outbox: unread, now (none), all, or those since a day')
    .addOption(oneOf('--marks <switch>', 'off: nothing is marked read, for others read its documents, too', ['on', 'off']));
}

export function receivingOf(options: ReceivingOptions): ReceivingChanges {
  const { from, marks, outbox } = options;
  return {
    ...(from !== undefined && { from: from === 'unread' ? null : from }),
    ...(marks !== undefined && { marks: marks === 'on' ? null : false }),
    ...(outbox !== undefined && { outbox: outbox === 'default' ? null : outbox }),
    ...time('keepOutbox', '--keep-outbox', options.keepOutbox),
    ...time('pickup', '--pickup-alarm', options.pickupAlarm),
    ...time('archive', '--archive', options.archive),
  };
}

/** The times among the rules, each with the word for none at all. */
const NONE = { keepOutbox: 'forever', pickup: 'never', archive: 'none' } as const;
type Time = keyof typeof NONE;

function time(rule: Time, option: string, text: string | undefined): ReceivingChanges {
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
    ...time('keepOutbox', 'keepOutbox', keepOutbox),
    ...time('pickup', 'pickup', pickup),
    ...time('archive', 'archive', archive),
  };
}
