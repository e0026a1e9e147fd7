// `dropgate account receiving`: where an account starts, whether its documents are marked, and what becomes of them in the outbox.
import { type Command, Option } from 'commander';
import { changeReceiving } from '#gateway/accounts/account-rules.ts';
import { OUTBOX_RULES, type OutboxRule, type ReceivingChanges } from '#gateway/accounts/receiving.ts';
import { configOf, configured, durationOf, type JsonOptions, printJson } from './command.ts';
import { gatewayOf, withLedgers } from './ledgers.ts';
import type { Terminal } from './terminal.ts';

const HOUR_MS = 3_600_000;

/** What is told when an account is added, before anything is fetched for it. */
export interface StartOptions {
  readonly from?: string;
  readonly marks?: 'on' | 'off';
}

interface ReceivingOptions extends JsonOptions, StartOptions {
  readonly outbox?: OutboxRule | 'default';
  readonly keepOutbox?: string;
  readonly pickupAlarm?: string;
  readonly archive?: string;
}

export function addReceiving(account: Command, terminal: Terminal): void {
  withStart(configured(account, 'receiving <accountRegNo>', 'change how documents are received for an account, and print its rules'))
    .addOption(
      new Option('--outbox <rule>', 'what removes a document: keep (the client), downloaded (a complete download)').choices([
        ...OUTBOX_RULES,
        'default',
      ]),
    )
    .option('--keep-outbox <duration>', "how long documents may lie in the outbox: 30d, 'forever' or 'default'")
    .option('--pickup-alarm <duration>', "after how long in the outbox an error is logged: 48h, 'never' or 'default'")
    .option('--archive <duration>', "how long copies are kept in archive/: 365d, 'none' or 'default'")
    .option('--json', 'print one JSON object')
    .action(async (accountRegNo: string, options: ReceivingOptions) => {
      const rules = await withLedgers(configOf(options).config, (ledgers) =>
        changeReceiving(gatewayOf(ledgers), accountRegNo, receivingOf(options)),
      );
      if (options.json) return printJson(terminal, { accountRegNo, ...rules });
      const told = Object.entries(rules).map(([rule, value]) => `${rule}=${typeof value === 'number' ? timeText(value) : value}`);
      terminal.print([accountRegNo, ...(told.length > 0 ? told : ['follows the settings'])].join('\t'));
    });
}

/** As it is written among the options. */
function timeText(ms: number): string {
  const hours = ms / HOUR_MS;
  if (hours % 24 === 0) return `${hours / 24}d`;
  return Number.isInteger(hours) ? `${hours}h` : `${ms / 1_000}s`;
}

export function withStart(command: Command): Command {
  return command
    .option('--from <start>', 'which documents of before its first start go to the outbox: unread, now (none), all, or those since a day')
    .addOption(new Option('--marks <switch>', 'off: nothing is marked read, for others read its documents, too').choices(['on', 'off']));
}

export function receivingOf(options: ReceivingOptions): ReceivingChanges {
  const { from, marks, outbox } = options;
  return {
    ...(from !== undefined && { from: from === 'unread' ? null : from }),
    ...(marks !== undefined && { marks: marks === 'on' ? null : false }),
    ...(outbox !== undefined && { outbox: outbox === 'default' ? null : outbox }),
    ...time('keepOutbox', '--keep-outbox', options.keepOutbox, 'forever'),
    ...time('pickup', '--pickup-alarm', options.pickupAlarm, 'never'),
    ...time('archive', '--archive', options.archive, 'none'),
  };
}

function time(rule: 'keepOutbox' | 'pickup' | 'archive', option: string, text: string | undefined, zero: string): ReceivingChanges {
  if (text === undefined) return {};
  if (text === 'default') return { [rule]: null };
  return { [rule]: text === zero ? 0 : durationOf(option, text, '1h', '3650d') };
}
