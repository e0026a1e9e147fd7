// The lines of a day's reconciliation file, a page at a time: first what was open when the day began, then what came on it.
import { FAMILY_NAMES } from '#domain/family.ts';
import type { Stage } from '#domain/receipt.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { readFetches } from '#gateway/ledger/fetches.ts';
import {
  type MetRow,
  type Open,
  type Period,
  type ReceivedRow,
  type Reconciled,
  readDroppedIn,
  readMetBehind,
  readOpen,
  readOpenAmong,
  readReceipts,
  readReceived,
  readReceivedOf,
  readSent,
  type SentRow,
} from '#gateway/ledger/reconciliation.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { nameText } from '#gateway/model/file-names.ts';
import { toByteName } from '#gateway/model/intake.ts';
import type { EndState } from '#gateway/model/item.ts';
import type { Direction, Entry, Line } from '#gateway/model/reconciliation.ts';
import { ifThere } from '#runtime/files/held-folder.ts';

interface LinesParts {
  readonly data: string;
  readonly ledger: Pick<Ledger, 'scan'>;
}

interface Asked {
  readonly owner: string;
  /** Whose files and documents; of a shared home its own name, too, under which files stand until their sender is known. */
  readonly accounts: ReadonlySet<string>;
  readonly period: Period;
  /** The day before; undefined where there was none. */
  readonly last: Reconciled | undefined;
}

/** A line, and by what it is carried into the next day. */
export interface Listed {
  readonly line: Line;
  readonly subject: string;
}

/** The stages of receipts that tell of a state. */
const TOLD_BY: Readonly<Record<EndState | 'waiting', readonly Stage[]>> = {
  accepted: ['accepted', 'duplicate'],
  refused: ['refused'],
  held: ['held'],
  cancelled: ['cancelled'],
  waiting: ['waiting', 'delayed'],
};

export class DayLines {
  readonly #parts: LinesParts;
  readonly #asked: Asked;
  /** The highest sequence that was met, and the lowest of what came after the day. */
  #met: number;
  #after = Number.POSITIVE_INFINITY;

  constructor(parts: LinesParts, asked: Asked) {
    this.#parts = parts;
    this.#asked = asked;
    this.#met = asked.last?.sequence ?? 0;
  }

  /** When all pages were read: documents up to this sequence came before the day ended. */
  get sequence(): number {
    return Math.min(this.#met, this.#after - 1);
  }

  async *pages(): AsyncGenerator<readonly Listed[]> {
    yield* this.#carried('sent', (open) => this.#sentAgain(open));
    for (const accountRegNo of this.#asked.accounts) yield* this.#dropped(accountRegNo);
    yield* this.#carried('received', (open) => this.#receivedAgain(open));
    for (const accountRegNo of this.#asked.accounts) {
      for (const family of FAMILY_NAMES) yield* this.#received(accountRegNo, family);
    }
  }

  async *#carried(direction: Direction, again: (open: readonly Open[]) => Promise<Listed[]>): AsyncGenerator<readonly Listed[]> {
    const { owner, last, accounts } = this.#asked;
    if (!last) return;
    for (let after = ''; ; ) {
      const open = await readOpen(this.#parts.ledger.scan, owner, last.day, direction, after);
      const end = open.at(-1);
      if (!end) return;
      // Of an account that is no more the owner's, only that it goes.
      const listed = await again(open.filter(({ accountRegNo }) => accounts.has(accountRegNo)));
      const found = new Set(listed.map(({ subject }) => subject));
      yield [...listed, ...open.filter(({ subject }) => !found.has(subject)).map(forgotten)];
      after = end.subject;
    }
  }

  async *#dropped(accountRegNo: string): AsyncGenerator<readonly Listed[]> {
    for (let after = ''; ; ) {
      const page = await readDroppedIn(this.#parts.ledger.scan, accountRegNo, this.#asked.period, after);
      const end = page.at(-1);
      if (!end) return;
      yield await this.#sent(page, 'dropped');
      after = end.item;
    }
  }

  async #sentAgain(open: readonly Open[]): Promise<Listed[]> {
    const items = await readSent(
      this.#parts.ledger.scan,
      open.map(({ subject }) => subject),
    );
    return this.#sent(items, 'carried');
  }

  async #sent(page: readonly SentRow[], entry: Entry): Promise<Listed[]> {
    const owners = [...new Set(page.flatMap(({ accountRegNo, home }) => [accountRegNo, home]))];
    const items = page.map(({ item }) => item);
    const receipts = Map.groupBy(await readReceipts(this.#parts.ledger.scan, owners, items), ({ subject }) => subject);
    return page.map((row) => {
      const { item: id, accountRegNo, fileName, receivedAt: cameAt, family, documentId, sender, receiver } = row;
      const state = stateAt(row, this.#asked.period.untilMs);
      const told = receipts.get(id)?.findLast(({ stage }) => TOLD_BY[state].some((each) => each === stage));
      const known = { accountRegNo, cameAt, endedAt: state === 'waiting' ? null : row.endedAt, family, documentId, sender, receiver };
      const line: Line = { direction: 'sent', entry, state, ...known, file: nameText(fileName), receipt: told?.name ?? null, id };
      return { line, subject: id };
    });
  }

  async *#received(accountRegNo: string, family: string): AsyncGenerator<readonly Listed[]> {
    const { scan } = this.#parts.ledger;
    const { last, owner } = this.#asked;
    for (let after = last?.sequence ?? 0; ; ) {
      const page = await readMetBehind(scan, accountRegNo, family, after);
      const end = page.at(-1);
      if (!end) return;
      const ids = page.filter((met) => this.#isToday(met)).map(({ integrationId }) => integrationId);
      // Of a document with several versions the latest.
      const latest = new Map((await readReceivedOf(scan, accountRegNo, ids)).map((row) => [row.integrationId, row]));
      const rows = [...latest.values()];
      const carried = last ? await readOpenAmong(scan, owner, last.day, 'received', rows.map(subjectOf)) : new Set();
      yield await this.#fetched(
        rows.filter((row) => !carried.has(subjectOf(row))),
        'received',
      );
      after = end.sequence;
    }
  }

  #isToday({ sequence, receivedAt }: MetRow): boolean {
    const { fromMs, untilMs } = this.#asked.period;
    this.#met = Math.max(this.#met, sequence);
    if (receivedAt === null) return false;
    if (receivedAt >= untilMs) this.#after = Math.min(this.#after, sequence);
    return receivedAt >= fromMs && receivedAt < untilMs;
  }

  async #receivedAgain(open: readonly Open[]): Promise<Listed[]> {
    const rows = await readReceived(
      this.#parts.ledger.scan,
      open.map(({ subject }) => Number(subject)),
    );
    return this.#fetched(rows, 'carried');
  }

  async #fetched(rows: readonly ReceivedRow[], entry: Entry): Promise<Listed[]> {
    const publications = rows.map(({ publication }) => publication);
    const fetches = Map.groupBy(await readFetches(this.#parts.ledger.scan, publications), ({ publication }) => publication);
    const gone = this.#goneOf(rows);
    return rows.map((row) => {
      const { publication, accountRegNo, receivedAt: cameAt, family, documentId, sender, receiver, name: file, integrationId: id } = row;
      const byLogins = fetches.get(publication)?.filter(({ action }) => action !== 'expired');
      const first = byLogins?.[0]?.firstAt ?? Number.POSITIVE_INFINITY;
      const isFetched = first < this.#asked.period.untilMs;
      const state = isFetched || gone.has(publication) ? 'fetched' : 'unfetched';
      const known = { accountRegNo, cameAt, endedAt: isFetched ? first : null, family, documentId, sender, receiver };
      return { line: { direction: 'received', entry, state, ...known, file, receipt: null, id }, subject: subjectOf(row) };
    });
  }

  /** Those that are not in the outbox any more: programs on disk, of which the ledger hears nothing, have taken them by now, or their time there was over. */
  #goneOf(rows: readonly ReceivedRow[]): ReadonlySet<number> {
    const written = rows.filter(({ writtenAt }) => writtenAt !== null);
    const gone = [...Map.groupBy(written, ({ home }) => home)].flatMap(([home, some]) => {
      const there = ifThere(homeFolder(this.#parts.data, home), ['outbox'], (held) => {
        return some.filter(({ name }) => held.look(toByteName(name)) === undefined);
      });
      return there ?? [];
    });
    return new Set(gone.map(({ publication }) => publication));
  }
}

function subjectOf({ publication }: ReceivedRow): string {
  return String(publication);
}

/** As far as the ledger still knows it. */
function stateAt({ state, endedAt }: SentRow, untilMs: number): EndState | 'waiting' {
  return state === 'pending' || endedAt === null || endedAt >= untilMs ? 'waiting' : state;
}

function forgotten({ direction, accountRegNo, subject }: Open): Listed {
  const nothing = { cameAt: null, endedAt: null, family: null, documentId: null, sender: null, receiver: null, file: null, receipt: null };
  return { line: { direction, entry: 'carried', state: 'forgotten', accountRegNo, ...nothing, id: subject }, subject };
}
