// The view `status`: what became of what was dropped into a home in the last 30 days. A text for each document number, and all of today as a table.
import { csvTable } from '#domain/csv.ts';
import { dayOf, isoTime } from '#domain/day.ts';
import { type DroppedNumber, readDropped, readDroppedNumbers, readDroppedOf } from '#gateway/ledger/dropped.ts';
import type { FoundItem } from '#gateway/ledger/searches.ts';
import { nameOfNumber, nameText, numberNamed } from '#gateway/model/file-names.ts';
import { type Asker, VIEW_FILE_BYTES_MAX, type View, type ViewEntry, type ViewFacts, type ViewFile } from '#gateway/model/view.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import { timelineOf } from '#gateway/operate/timeline.ts';
import { LruCache } from '#runtime/cache.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import { type Standing, standingOf, statusText, TEXT_BYTES } from './status-text.ts';

const PERIOD_MS = 30 * 86_400_000;
const NUMBERS_AT_ONCE = 1_000;
/** Files of one number that are told of, the newest. */
const ITEMS_MAX = 10;

const ENDING = '.txt';
const TODAY = 'today.csv';
const ROWS_MAX = 10_000;
/** For so long a table is handed out again: clients ask for a file's facts several times before they read it. */
const TODAY_KEPT_MS = 5_000;
const TODAYS_BYTES_MAX = 8 * VIEW_FILE_BYTES_MAX;

/** Files that are written at the same time, for all logins. */
const WRITES_MAX = 2;

type Column = readonly [name: string, cell: (item: FoundItem, standing: Standing) => unknown];

const COLUMNS: readonly Column[] = [
  ['droppedAt', ({ receivedAt }) => isoTime(receivedAt)],
  ['file', ({ fileName }) => nameText(fileName)],
  ...(['accountRegNo', 'family', 'documentId', 'sender', 'receiver', 'state', 'network'] as const).map(
    (name): Column => [name, (item) => item[name]],
  ),
  ['endedAt', ({ endedAt }) => isoTime(endedAt)],
  ['action', (_, { action }) => action],
  ['message', (_, { message }) => message],
];

interface Today {
  readonly file: ViewFile;
  readonly writtenMs: number;
}

export class StatusView implements View {
  readonly #on: Administration;
  readonly #writes = new Semaphore(WRITES_MAX);
  readonly #todays = new LruCache<Today>(TODAYS_BYTES_MAX, ({ file }) => file.bytes.length);

  constructor(on: Administration) {
    this.#on = on;
  }

  async *list({ home }: Asker): AsyncGenerator<readonly ViewEntry[]> {
    const today = await this.#today(home);
    yield [{ name: TODAY, size: today.bytes.length, mtimeMs: today.mtimeMs }];
    const sinceMs = this.#sinceMs();
    const begin = (after: string): Promise<DroppedNumber[]> => {
      const begun = readDroppedNumbers(this.#on.ledger.scan, { home, sinceMs, after, limit: NUMBERS_AT_ONCE });
      // It fails where it is awaited, which a client that leaves does not come to.
      begun.catch(() => {});
      return begun;
    };
    for (let page = await begin(''), last = page.at(-1); last; last = page.at(-1)) {
      // While the client takes this one.
      const next = begin(last.documentId);
      yield page.flatMap(({ documentId, ...facts }) => {
        const name = nameOfNumber(documentId, ENDING);
        return name === null ? [] : [{ name, ...factsOf(facts) }];
      });
      page = await next;
    }
  }

  async stat({ home }: Asker, name: string): Promise<ViewFacts | null> {
    if (name === TODAY) {
      const { bytes, mtimeMs } = await this.#today(home);
      return { size: bytes.length, mtimeMs };
    }
    const number = numberNamed(name, ENDING);
    return number === null ? null : this.#factsOf(home, number);
  }

  async read(asker: Asker, name: string): Promise<ViewFile | null> {
    if (name === TODAY) return this.#today(asker.home);
    const number = numberNamed(name, ENDING);
    const facts = number === null ? null : await this.#factsOf(asker.home, number);
    if (number === null || !facts) return null;
    const bytes = await this.#writes.run(() => this.#write(asker, number));
    return { bytes, mtimeMs: facts.mtimeMs };
  }

  async #factsOf(home: string, only: string): Promise<ViewFacts | null> {
    const [found] = await readDroppedNumbers(this.#on.ledger.read, { home, sinceMs: this.#sinceMs(), only, limit: 1 });
    return found ? factsOf(found) : null;
  }

  /** One text for each file of this number, the newest first. */
  async #write(asker: Asker, number: string): Promise<Buffer> {
    const items = await readDroppedOf(this.#on.ledger.read, asker.home, number, this.#sinceMs(), ITEMS_MAX);
    const texts: string[] = [];
    for (const item of items) {
      texts.push(statusText(item, await timelineOf(this.#on, { kind: 'dropped', atMs: item.receivedAt, item }), asker));
    }
    return Buffer.from(texts.join(''));
  }

  /** In UTC, as far as it has come. */
  #today(home: string): Promise<ViewFile> {
    return this.#writes.run(async () => {
      const { clock, ledger } = this.#on;
      const nowMs = clock.now();
      const kept = this.#todays.get(home);
      if (kept && Math.abs(nowMs - kept.writtenMs) < TODAY_KEPT_MS) return kept.file;
      const items = await readDropped(ledger.scan, home, Date.parse(dayOf(nowMs)), ROWS_MAX);
      const file = { bytes: tableOf(items), mtimeMs: nowMs };
      return this.#todays.put(home, { file, writtenMs: nowMs }).file;
    });
  }

  #sinceMs(): number {
    return this.#on.clock.now() - PERIOD_MS;
  }
}

function factsOf({ count, changedAt }: { readonly count: number; readonly changedAt: number }): ViewFacts {
  return { size: TEXT_BYTES * Math.min(count, ITEMS_MAX), mtimeMs: changedAt };
}

/** The newest first; the oldest are left out where it would become too large. */
function tableOf(items: readonly FoundItem[]): Buffer {
  const rows = items.map((item) => COLUMNS.map(([, cell]) => cell(item, standingOf(item))));
  const names = COLUMNS.map(([name]) => name);
  for (let count = rows.length; ; count = Math.floor(count / 2)) {
    const bytes = Buffer.from(csvTable(names, rows.slice(0, count)));
    if (bytes.length <= VIEW_FILE_BYTES_MAX) return bytes;
  }
}
