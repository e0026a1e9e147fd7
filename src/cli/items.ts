// `dropgate items` and `dropgate item`: where is my invoice?

import { writeFileSync } from 'node:fs';
import { Option } from 'commander';
import { shortId } from '#domain/id.ts';
import { visible, visibleLines } from '#domain/visible.ts';
import { ITEM_STATES } from '#gateway/model/item.ts';
import type { AnswerOf } from '#operations/table.ts';
import { systemClock } from '#runtime/clock.ts';
import type { AddCommand, Fact } from './commands.ts';
import { ITEM_COLUMNS, limitOf, sinceOf } from './operating.ts';
import { collect, wordsOf } from './options.ts';

const LISTED_MAX = 100_000;

interface ItemsOptions {
  readonly state: readonly string[];
  readonly account?: string;
  readonly document?: string;
  readonly file?: string;
  readonly since?: string;
  readonly limit: string;
}

export const addItems: AddCommand = (commands) => {
  const input = ({ account: accountRegNo, document: documentId, file: fileName, ...options }: ItemsOptions) => ({
    limit: limitOf(options.limit, LISTED_MAX),
    ...(options.state.length > 0 && { states: wordsOf('--state', options.state, ITEM_STATES) }),
    ...(accountRegNo !== undefined && { accountRegNo }),
    ...(documentId !== undefined && { documentId }),
    ...(fileName !== undefined && { fileName }),
    ...(options.since !== undefined && { since: sinceOf('--since', options.since, systemClock.now()) }),
  });
  commands
    .asks('items', 'items', input, commands.table('such items', ITEM_COLUMNS))
    .addOption(
      new Option('--state <state>', `only those: ${ITEM_STATES.join(', ')}; may be given several times`)
        .argParser(collect)
        .default([], 'all'),
    )
    .option('--account <accountRegNo>', 'only those of one account')
    .option('--document <number>', 'only those with this document number')
    .option('--file <part>', 'only those whose file name has this in it')
    .option('--since <time>', 'only those dropped since: 2026-11-20, 2026-11-20T14:30:00Z, 36h')
    .option('--limit <count>', 'no more than so many', '50');
};

export const addItem: AddCommand = (commands) => {
  commands.asks('item <item>', 'item', (item: string) => ({ item }), commands.facts(factsOf));
};

function factsOf(found: AnswerOf<'item'>): Fact[] {
  const { family, documentId, sender, receiver, state, network, login, accountRegNo, home, nextAttemptAt } = found;
  return [
    ['item', found.item],
    ['state', { state: network === null ? state : `${state}, and then ${network}` }],
    ['reason', found.reason],
    ['account', home === accountRegNo ? accountRegNo : `${accountRegNo} (home ${home})`],
    ['file', `${found.fileName} (${found.size} bytes)`],
    ['dropped', { at: found.receivedAt }],
    ['by', login ?? 'in the folder on disk, or by a command'],
    ['mode', found.mode === 'send' ? null : found.mode],
    ['ended', { at: found.endedAt }],
    ['next attempt', { at: nextAttemptAt !== null && Date.parse(nextAttemptAt) > 0 ? nextAttemptAt : null }],
    ['document', documentId === null ? null : `${family} ${documentId}, from ${sender} to ${receiver}`],
    ['integrationId', found.integrationId],
    ['duplicate of', found.duplicateOf],
    ['sends again', found.resends],
    ['sent again as', found.resentAs.join(', ')],
    ['sha256', found.sha256],
    ...found.attempts.map(({ number, at, outcome }): Fact => [`attempt ${number}`, [{ at }, outcome]]),
    ...found.files.map(({ folder, name, stage, writtenAt }): Fact => {
      const file = `${folder}/${name}`;
      return [folder === 'receipts' ? `receipt ${stage}` : folder, writtenAt === null ? `${file} is owed` : [file, { at: writtenAt }]];
    }),
    ...found.fetched.map(({ action, name, login, firstAt }): Fact => [action, [name, `by ${login}`, { at: firstAt }]]),
    ['bytes', found.bytes ?? 'not here any more: taken away, or their time was over'],
  ];
}

export const addReceipts: AddCommand = (commands) => {
  const { terminal } = commands;
  commands.asks(
    'receipts <item>',
    'receipts',
    (item: string) => ({ item }),
    ({ receipts, lines }) => {
      for (const { name, text } of receipts) {
        terminal.print(`receipts/${visible(name)}${text === null ? ' (not there any more)' : ''}`);
        if (text !== null) terminal.print(visibleLines(text));
      }
      for (const { number, text } of lines) terminal.print(`line ${number}: ${visibleLines(text)}`);
    },
  );
};

interface WriteOptions {
  readonly write: string;
}

interface DocumentOptions extends WriteOptions {
  readonly receipt?: string;
}

const WRITE = 'the file to write it to, which is not there yet';

export const addDocument: AddCommand = (commands) => {
  const say = commands.outcome(({ item, fileName }: AnswerOf<'document'>, _item: string, { write }: DocumentOptions) => {
    return `Item ${shortId(item)} (${fileName}) was written to ${write}.`;
  });
  commands
    .asks(
      'document <item>',
      'document',
      (item: string, { receipt }: DocumentOptions) => ({ item, ...(receipt !== undefined && { receipt }) }),
      (answer, config, item, options) => {
        writeDocument(answer, options);
        say(answer, config, item, options);
      },
    )
    .option('--receipt <name>', 'instead of the file the receipt of this name')
    .requiredOption('--write <file>', WRITE);
};

export const addReceived: AddCommand = (commands) => {
  const say = commands.outcome(({ integrationId, fileName }: AnswerOf<'received'>, _id: string, { write }: WriteOptions) => {
    return `Document ${integrationId} (${fileName}) was written to ${write}.`;
  });
  commands
    .asks(
      'received <integrationId>',
      'received',
      (integrationId: string, _options: WriteOptions) => ({ integrationId }),
      (answer, config, id, options) => {
        writeDocument(answer, options);
        say(answer, config, id, options);
      },
    )
    .requiredOption('--write <file>', WRITE);
};

/** Readable by this user alone. */
function writeDocument({ document }: { readonly document: string }, { write }: WriteOptions): void {
  writeFileSync(write, document, { encoding: 'base64', flag: 'wx', mode: 0o600 });
}
