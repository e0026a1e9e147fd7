// `dropgate account receiving`: how documents are received for an account.
import type { Command } from 'commander';
import type { ReceivingChanges } from '#gateway/model/receiving.ts';
import { OUTBOX_RULES, type OutboxRule } from '#gateway/model/rule-words.ts';
import { receivingTime, toldReceiving } from '#operations/receiving-words.ts';
import type { Commands } from './commands.ts';
import { oneOf } from './options.ts';

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
      const told = Object.entries(toldReceiving(rules)).map(([rule, value]) => `${rule}=${value}`);
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
    ...receivingTime('keepOutbox', '--keep-outbox', options.keepOutbox),
    ...receivingTime('pickup', '--pickup-alarm', options.pickupAlarm),
    ...receivingTime('archive', '--archive', options.archive),
  };
}
