// `dropgate items` and `dropgate item`: where is my invoice?

import { Option } from 'commander';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { visibleLines } from '#domain/visible.ts';
import { type FoundItem, type ItemHistory, readHistory, searchItems } from '#gateway/ledger/searches.ts';
import { nameText } from '#gateway/model/file-names.ts';
import { itemNamed } from '#gateway/operate/operator.ts';
import { bytesOf } from '#gateway/operate/where.ts';
import { systemClock } from '#runtime/clock.ts';
import type { AddCommand } from './commands.ts';
import { gatewayOf, type Ledgers } from './ledgers.ts';
import { itemFacts, itemLine, limitOf, sinceOf } from './operating.ts';
import { collect } from './options.ts';

const LISTED_MAX = 100_000;
const KEY_WIDTH = 19;
const STATES = ['pending', 'accepted', 'refused', 'held', 'cancelled'] as const;

interface ItemsOptions {
  readonly state: readonly string[];
  readonly account?: string;
  readonly document?: string;
  readonly file?: string;
  readonly since?: string;
  readonly limit: string;
}

export const addItems: AddCommand = (commands) => {
  const listing = { what: 'such items', line: (found: FoundItem) => [itemLine(found)], facts: itemFacts };
  const read = async (on: Ledgers, options: ItemsOptions): Promise<FoundItem[]> => {
    const { account: accountRegNo, document: documentId, file: fileName, since } = options;
    const states = options.state.map(stateOf);
    const search = {
      limit: limitOf(options.limit, LISTED_MAX),
      ...(states.length > 0 && { states }),
      ...(accountRegNo !== undefined && { accountRegNo }),
      ...(documentId !== undefined && { documentId }),
      ...(fileName !== undefined && { fileName }),
      ...(since !== undefined && { sinceMs: sinceOf('--since', since, systemClock.now()) }),
    };
    return searchItems(gatewayOf(on).ledger.read, search);
  };
  commands
    .list('items', 'list dropped files and what became of them, the newest first', listing, read)
    .addOption(
      new Option('--state <state>', `only those: ${STATES.join(', ')}; may be given several times`).argParser(collect).default([], 'all'),
    )
    .option('--account <accountRegNo>', 'only those of one account')
    .option('--document <number>', 'only those with this document number')
    .option('--file <part>', 'only those whose file name has this in it')
    .option('--since <time>', 'only those dropped since: 2026-11-20, 2026-11-20T14:30:00Z, 36h')
    .option('--limit <count>', 'no more than so many', '50');
};

function stateOf(text: string): (typeof STATES)[number] {
  const state = STATES.find((each) => each === text);
  if (state) return state;
  throw new AppError('usage', `--state must be one of ${STATES.join(', ')}, not ${text}.`);
}

export const addItem: AddCommand = (commands) => {
  const does = 'everything known of one dropped file; the item is named by its id, or by the eight letters in names of receipts';
  commands.show('item <item>', does, async (on, id: string) => {
    const { ledger, data } = gatewayOf(on);
    const found = await itemNamed(ledger, id);
    const history = await readHistory(ledger.read, found);
    const bytes = bytesOf(data, found, history);
    return { facts: { ...itemFacts(found), ...historyFacts(history), bytes }, lines: linesOf(found, history, bytes) };
  });
};

function historyFacts({ attempts, published, resentAs }: ItemHistory): Record<string, unknown> {
  return {
    attempts: attempts.map(({ number, at, outcome }) => ({ number, at: isoTime(at), outcome: outcome ?? 'unknown' })),
    files: published.map(({ writtenAt, ...file }) => ({ ...file, writtenAt: writtenAt === null ? null : isoTime(writtenAt) })),
    resentAs,
  };
}

function linesOf(found: FoundItem, { attempts, published, resentAs }: ItemHistory, bytes: string | null): string[] {
  const lines: string[] = [];
  const { family, documentId, sender, receiver, state, network, login } = found;
  const tell = (key: string, value: string | null): void => {
    if (value !== null && value !== '') lines.push(visibleLines(`${key.padEnd(KEY_WIDTH)}${value}`));
  };
  tell('item', found.item);
  tell('state', network === null ? state : `${state}, and then ${network}`);
  tell('reason', found.reason);
  tell('account', found.home === found.accountRegNo ? found.accountRegNo : `${found.accountRegNo} (home ${found.home})`);
  tell('file', `${nameText(found.fileName)} (${found.size} bytes)`);
  tell('dropped', `${isoTime(found.receivedAt)} ${login === null ? 'in the folder on disk, or by a command' : `by ${login}`}`);
  tell('mode', found.mode === 'send' ? null : found.mode);
  tell('ended', found.endedAt === null ? null : isoTime(found.endedAt));
  tell('next attempt', state === 'pending' && found.nextAttemptAt > 0 ? isoTime(found.nextAttemptAt) : null);
  tell('document', documentId === null ? null : `${family} ${documentId}, from ${sender} to ${receiver}`);
  tell('integrationId', found.integrationId);
  tell('duplicate of', found.duplicateOf);
  tell('sends again', found.resends);
  tell('sent again as', resentAs.join(', '));
  tell('sha256', found.sha256);
  for (const { number, at, outcome } of attempts) tell(`attempt ${number}`, `${isoTime(at)} ${outcome ?? 'outcome unknown'}`);
  for (const { folder, name, stage, writtenAt } of published) {
    tell(folder === 'receipts' ? `receipt ${stage}` : folder, `${folder}/${name} ${writtenAt === null ? 'is owed' : isoTime(writtenAt)}`);
  }
  tell('bytes', bytes ?? 'not here any more: taken away, or their time was over');
  return lines;
}
