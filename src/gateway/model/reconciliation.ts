// The reconciliation file of a day: a row for all that was open when the day began, and for all that came on it, with what it was when the day ended.
// What is open then stands in the file of the next day again, so that for each day: carried + came = the sum of all states.
import { csvRow } from '#domain/csv.ts';
import { isoTime } from '#domain/day.ts';
import type { HeadInRow } from './item.ts';

export type Direction = 'sent' | 'received';

/** How something came to be in the file: from the day before, or on this one. */
export type Entry = 'carried' | 'dropped' | 'received';

interface Side {
  /** What its rows are called that came on the day. */
  readonly came: Exclude<Entry, 'carried'>;
  /** All that may stand in its rows at the end of the day; `forgotten`: it has ended, and the ledger does not know it any more. */
  readonly states: readonly string[];
  /** Those that are carried into the next day. */
  readonly open: readonly string[];
}

// biome-ignore format: one row, one direction
const SIDES = {
  sent:     { came: 'dropped',  states: ['accepted', 'refused', 'held', 'cancelled', 'waiting', 'forgotten'], open: ['held', 'waiting'] },
  received: { came: 'received', states: ['fetched', 'unfetched', 'forgotten'],                                open: ['unfetched'] },
} as const satisfies Readonly<Record<Direction, Side>>;

type LineState = (typeof SIDES)[Direction]['states'][number];

export interface Line extends HeadInRow {
  readonly direction: Direction;
  readonly entry: Entry;
  readonly state: LineState;
  readonly accountRegNo: string;
  readonly cameAt: number | null;
  /** When the service, we or a person had the last word; when it was fetched first. */
  readonly endedAt: number | null;
  /** As it was dropped; as it lies in the outbox. */
  readonly file: string | null;
  /** The receipt that tells of the state. */
  readonly receipt: string | null;
  /** The item; the integrationId. */
  readonly id: string;
}

type Column = readonly [name: string, cell: (line: Line, day: string) => unknown];

/** The first ones have no cell that a tenant writes. */
const COLUMNS: readonly Column[] = [
  ['day', (_, day) => day],
  ...(['direction', 'entry', 'state', 'accountRegNo'] as const).map((name): Column => [name, (line) => line[name]]),
  ['cameAt', ({ cameAt }) => isoTime(cameAt)],
  ['endedAt', ({ endedAt }) => isoTime(endedAt)],
  ...(['family', 'documentId', 'sender', 'receiver', 'file', 'receipt', 'id'] as const).map((name): Column => [name, (line) => line[name]]),
];

export const HEADINGS = csvRow(COLUMNS.map(([name]) => name));

export function rowOf(line: Line, day: string): string {
  return csvRow(COLUMNS.map(([, cell]) => cell(line, day)));
}

export function isOpen({ direction, state }: Pick<Line, 'direction' | 'state'>): boolean {
  return SIDES[direction].open.some((each) => each === state);
}

/** Whether the two sides of a day are equal, in numbers. */
export class Balance {
  readonly #counts = new Map<string, number>();

  add({ direction, entry, state }: Pick<Line, 'direction' | 'entry' | 'state'>): void {
    for (const word of [entry, state]) this.#counts.set(`${direction} ${word}`, this.#count(direction, word) + 1);
  }

  /** `carried 1 + dropped 12 = accepted 10 + refused 1 + held 0 + …`. */
  sentence(direction: Direction): string {
    const { came, states } = SIDES[direction];
    const told = (words: readonly string[]): string => words.map((word) => `${word} ${this.#count(direction, word)}`).join(' + ');
    return `${told(['carried', came])} = ${told(states)}`;
  }

  /** `received` is a direction, and how its rows came to be. */
  #count(direction: Direction, word: string): number {
    return this.#counts.get(`${direction} ${word}`) ?? 0;
  }
}

interface Statement {
  /** `account 5567321707`, `login hub`. */
  readonly owner: string;
  readonly day: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** The file of the last day before this one; null of the first. */
  readonly before: { readonly day: string; readonly sha256: string } | null;
  readonly sha256: string;
  readonly balance: Balance;
}

/** What is signed: whose file it is, of which day, and its digest, so that it is no other one's. */
export function statementText({ owner, day, fromMs, untilMs, before, sha256, balance }: Statement): string {
  return [
    'Dropgate reconciliation 1',
    `for: ${owner}`,
    `day: ${day}`,
    `from: ${isoTime(fromMs)}`,
    `until: ${isoTime(untilMs)}`,
    `before: ${before ? `${before.day} ${before.sha256}` : 'none'}`,
    `sha256: ${sha256}`,
    `sent: ${balance.sentence('sent')}`,
    `received: ${balance.sentence('received')}`,
    '',
  ].join('\n');
}

/** The file beside: the statement, and on its last line the signature over all before that. */
export function signedStatement(statement: string, signature: Uint8Array): string {
  return `${statement}signature: ${Buffer.from(signature).toString('base64')}\n`;
}

/** `2026-11-25.reconciliation.csv`, with the name of whose it is where a home has more than one. */
export function reconciliationName(day: string, whose: string | null): string {
  return [day, ...(whose === null ? [] : [whose]), 'reconciliation.csv'].join('.');
}

export const signatureName = (name: string): string => `${name}.sig`;
