// In whose hand homes are where several processes work on one ledger: this one takes those that are free, and leaves the others alone. A process has its
// homes until it ends; the ledger itself keeps apart those that live from those that were killed.
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { AppError } from '#domain/error.ts';
import { isInPlace } from '#gateway/disk/folder-place.ts';
import { knownIncarnations, livingIncarnations } from '#gateway/disk/incarnation.ts';
import {
  forgetProcess,
  type HomeElsewhere,
  isKnown,
  leaveHome,
  type Process,
  putProcess,
  readElsewhere,
  readProcesses,
  takeHomes,
} from '#gateway/ledger/hands.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import { ALL_HOMES, type Homes, type HomesInHand } from '#gateway/model/homes.ts';
import { lockStart } from '#runtime/files/lock.ts';
import type { Log } from '#runtime/log.ts';
import { epochsAgree } from './epoch.ts';

/** Homes that a line names. */
const NAMED_MAX = 5;

const TO_START = 'stop it, or give this one a database and a data folder of its own (database.url, data)';
const TO_ORDER = 'run the command where it runs';

interface HandParts {
  readonly data: string;
  /** By which the ledger was opened. */
  readonly incarnation: string;
  readonly ledger: Ledger;
  readonly inHand: Pick<HomesInHand, 'all' | 'giveUp'>;
  readonly log: Log;
}

/** Dispose at the end: all homes are free then. */
export class Hand implements AsyncDisposable {
  readonly #parts: HandParts;
  readonly #known: Set<string>;

  /**
   * Takes the homes that are free; those in the hand of another count as given up. Throws `locked`, having changed nothing, where none is free, or where
   * another process works on this ledger with another spool.
   */
  static async open(parts: HandParts, homes: readonly string[]): Promise<Hand> {
    const { data, incarnation, ledger } = parts;
    const isAlone = await ledger.claim(incarnation, () => isKnown(ledger.read, incarnation));
    if (!isAlone) throw new AppError('locked', `Another dropgate is called ${incarnation}, as this one: start it again.`);
    const { ended, living } = await othersOf(ledger, data);
    const [other] = living;
    if (living.some(({ node }) => node !== null)) throw namelessAmongNodes(living);
    const original = isInPlace(data) ? undefined : living.find(({ incarnation: each }) => knownIncarnations(data).has(each));
    if (original) throw besideOriginal(data, original);
    // Asked twice: the other may be moving the stamp.
    if (other && !(await epochsAgree(parts)) && !(await epochsAgree(parts)))
      throw refusal(`the database of the data folder ${data}`, other, TO_START);
    const elsewhere = await ledger.write(['administration'], async (rows) => {
      for (const each of ended) await forgetProcess(rows, each.incarnation);
      await putProcess(rows, { incarnation, place: placeOf(data) });
      const found = await takeFree(rows, incarnation, ALL_HOMES);
      const [first] = found;
      if (first && homes.every((home) => found.some((each) => each.home === home))) throw refusal('all homes', first, TO_START);
      return found;
    });
    const hand = new Hand(parts, homes);
    hand.#leaveAlone(elsewhere);
    return hand;
  }

  /** Of a node that has joined others: its homes are taken one by one. */
  static ofNode(parts: HandParts): Hand {
    return new Hand(parts, []);
  }

  private constructor(parts: HandParts, homes: readonly string[]) {
    this.#parts = parts;
    this.#known = new Set(homes);
  }

  /** Homes that were added since are taken, too. */
  async takeAdded(homes: readonly string[]): Promise<void> {
    if (homes.every((home) => this.#known.has(home))) return;
    this.#leaveAlone(await this.#takeFree(this.#parts.inHand.all));
    for (const home of homes) this.#known.add(home);
  }

  /** Takes all of them. Throws `locked`, having taken none, where another has one. */
  async take(homes: readonly string[]): Promise<void> {
    const { ledger, incarnation } = this.#parts;
    await ledger.write([], async (rows) => {
      const [elsewhere] = await takeFree(rows, incarnation, { only: homes });
      if (elsewhere) throw refusal(`home ${elsewhere.home}`, elsewhere, 'let it give the home up first');
    });
  }

  async leave(home: string): Promise<void> {
    const { ledger, incarnation } = this.#parts;
    await ledger.write([`home ${home}`], (rows) => leaveHome(rows, incarnation, home));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { ledger, incarnation, log } = this.#parts;
    // The next start finds that this process has ended.
    await ledger
      .write([], (rows) => forgetProcess(rows, incarnation))
      .catch((error: unknown) => log.warn({ event: 'homes.not-left', err: error }));
  }

  #takeFree(homes: Homes): Promise<HomeElsewhere[]> {
    const { ledger, incarnation } = this.#parts;
    return ledger.write([], (rows) => takeFree(rows, incarnation, homes));
  }

  #leaveAlone(elsewhere: readonly HomeElsewhere[]): void {
    const { inHand, log } = this.#parts;
    for (const [place, homes] of Map.groupBy(elsewhere, (each) => each.place)) {
      log.error({
        event: 'homes.elsewhere',
        homes: homes.length,
        first: homes.slice(0, NAMED_MAX).map(({ home }) => home),
        sentence: `another dropgate has them in hand (${place}): this one leaves them alone`,
      });
    }
    // Nothing of it is worked on yet that would have to be waited for.
    for (const { home } of elsewhere) void inHand.giveUp(home);
  }
}

/** Where this process runs, as sentences name it. */
export function placeOf(data: string): string {
  return `${hostname()}, data folder ${resolve(data)}`;
}

/**
 * For a change by a command that spans ledger and files of a home: no start comes in between. Throws `locked` where a process that does not work on this
 * data folder has the home, and says which. Dispose to release.
 */
export async function lockHome({ data, ledger }: Pick<HandParts, 'data' | 'ledger'>, home: string): Promise<Disposable> {
  for (const elsewhere of await readElsewhere(ledger.read, '', { only: [home] })) {
    if (!toldHere(data).has(elsewhere.incarnation) && !(await ledger.outlive(elsewhere.incarnation, false))) {
      throw refusal(`home ${home}`, elsewhere, TO_ORDER);
    }
  }
  return lockStart(data);
}

/** For a command that needs all homes for itself. Throws `locked` where a process works on the ledger. */
export async function refuseOthers({ data, ledger }: Pick<HandParts, 'data' | 'ledger'>): Promise<void> {
  const { living } = await othersOf(ledger, data);
  if (living[0]) throw refusal('the homes', living[0], 'stop it first');
}

async function takeFree(rows: Rows, incarnation: string, homes: Homes): Promise<HomeElsewhere[]> {
  await takeHomes(rows, incarnation, homes);
  return readElsewhere(rows, incarnation, homes);
}

/** Processes of whose end the locks of this data folder tell. */
function toldHere(data: string): ReadonlySet<string> {
  return isInPlace(data) ? knownIncarnations(data) : new Set();
}

/** Of this data folder's own processes its locks tell at once that they have ended, though the database may not have noticed. */
async function othersOf(ledger: Ledger, data: string): Promise<{ readonly ended: Process[]; readonly living: Process[] }> {
  const processes = await readProcesses(ledger.read);
  const [told, alive] = [toldHere(data), livingIncarnations(data)];
  const ended: Process[] = [];
  const living: Process[] = [];
  for (const each of processes) {
    const hasEnded = told.has(each.incarnation) && !alive.has(each.incarnation);
    ((await ledger.outlive(each.incarnation, hasEnded)) ? ended : living).push(each);
  }
  return { ended, living };
}

/** A gateway without a name is not let in where nodes live. */
export function namelessAmongNodes(living: readonly Pick<Process, 'node'>[]): AppError {
  const names = living.flatMap(({ node }) => node ?? []).sort();
  return new AppError('locked', `Nodes work on this database (${names.join(', ')}): give this one a name, too (node), or stop them.`);
}

function besideOriginal(data: string, { place }: Process): AppError {
  const what = `The data folder ${data} is a copy of that of another dropgate, which has the database in hand (${place})`;
  return new AppError('locked', `${what}: ${TO_START}.`);
}

function refusal(what: string, { place }: Process, remedy: string): AppError {
  return new AppError('locked', `Another dropgate (${place}) has ${what} in hand: ${remedy}.`);
}
