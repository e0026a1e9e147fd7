// The folders of a home into which orders are moved to be answered. A file that has lain there for a minute (`gateway.answerAfter`) is ours: it gets
// a name with the move's id, by which a start after a crash knows it, and leaves the folder when it is settled. Until then it may be moved back, and
// nothing has happened.
//
//   name          waits, from when it was first seen as it is
//   .MOVE~name    ours: its response is made, or in custody already
import { hash } from 'node:crypto';
import { rmdirSync, type Stats } from 'node:fs';
import { AppError } from '#domain/error.ts';
import { carriedName, parseCarried } from '#gateway/disk/carry.ts';
import { ensureAnswerFolders, homeFolder } from '#gateway/disk/paths.ts';
import type { Accounts } from '#gateway/model/account.ts';
import { nameText } from '#gateway/model/file-names.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { type ByteName, isTemporaryName } from '#gateway/model/intake.ts';
import { ANSWER_FOLDER, ORDER_ANSWERS, type OrderAnswer, REASONS_MAX } from '#gateway/model/order-answer.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import { type FolderSync, openPlain } from '#runtime/files/durable.ts';
import { renameOurs } from '#runtime/files/rename.ts';
import { inFolder, type SafeFolder } from '#runtime/files/safe-folder.ts';
import { nullIf, systemCode } from '#runtime/files/system-code.ts';
import type { Log } from '#runtime/log.ts';
import type { OrderAnswers } from './order-answers.ts';

const LOOK_EVERY_MS = 5_000;
/** Files of one home that are remembered, and of all homes; the others wait until these are settled. */
const WAITING_MAX = 10_000;
const WAITING_IN_ALL_MAX = 100_000;
/** Orders of a home that are settled in a turn: then the other homes have theirs. */
const SETTLED_MAX = 250;
/** Bytes of the orders that are settled at the same time, and what the smallest counts for. */
const SETTLING_BYTES_MAX = 64 * 1024 * 1024;
const ORDER_BYTES_MIN = SETTLING_BYTES_MAX / 16;
/** Names that are gone through before others go on. */
const NAMES_AT_ONCE = 1_000;
/** Names that were logged. */
const TOLD_MAX = 1_000;

export interface AnswerSettings {
  /** How long an order must lie there before it is answered. */
  readonly answerAfter: number;
}

interface AnswerFoldersParts {
  readonly settings: AnswerSettings;
  readonly data: string;
  readonly newId: () => string;
  readonly accounts: Pick<Accounts, 'answering'>;
  readonly inHand: Pick<HomesInHand, 'run' | 'has' | 'check'>;
  readonly folders: FolderSync;
  readonly answers: Pick<OrderAnswers, 'settle'>;
  /** A longer file is left where it is. */
  readonly limits: { readonly fileMax: number };
  readonly clock: Clock;
  readonly log: Log;
}

/** A folder of a home, and what an order in it is answered. */
interface Place {
  readonly home: string;
  readonly answer: OrderAnswer;
  readonly folder: ByteName | undefined;
}

/** What a file was like when it was first seen so. */
interface Waiting {
  readonly facts: string;
  readonly sinceMs: number;
}

/** What is remembered of a folder. */
const FOLDER: Waiting = { facts: 'folder', sinceMs: 0 };

/** A file whose time has come, or that is ours already. */
interface Due {
  readonly name: ByteName;
  readonly size: number;
}

/** Files of a folder that were due when a turn ended: they go on without another look at all that lies there. */
interface Rest {
  readonly place: Place;
  readonly names: ByteName[];
}

/** What a home has settled at once, before the others have theirs. */
interface Turn {
  readonly before: ReadonlyMap<string, Waiting>;
  readonly now: Map<string, Waiting>;
  /** Files that may be remembered beside those of the last look. */
  room: number;
  /** Orders that may still be settled. */
  left: number;
  settled: number;
  /** There is no room for responses: nothing more is taken. */
  isStopped: boolean;
}

export class AnswerFolders implements AsyncDisposable {
  readonly #parts: AnswerFoldersParts;
  readonly #looking: Disposable;
  /** By home, and the file's place in it. */
  readonly #waiting = new Map<string, Map<string, Waiting>>();
  /** By home. */
  readonly #rests = new Map<string, Rest[]>();
  readonly #settling = new Semaphore(SETTLING_BYTES_MAX);
  readonly #told = new Set<string>();
  #isClosing = false;
  #round: Promise<void>;

  constructor(parts: AnswerFoldersParts) {
    this.#parts = parts;
    const failed = (error: unknown): void => parts.log.error({ event: 'answers.failed', err: error });
    this.#round = this.#look().catch(failed);
    this.#looking = every(parts.clock, Math.min(LOOK_EVERY_MS, parts.settings.answerAfter), () => this.#lookAgain(), failed);
  }

  /** Resolves when no order is being answered any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#looking[Symbol.dispose]();
    this.#isClosing = true;
    await this.#round;
  }

  /** When the last round has ended: the first one may take longer than the time between two. */
  async #lookAgain(): Promise<void> {
    await this.#round;
    const round = this.#look();
    this.#round = round.catch(() => undefined);
    await round;
  }

  /** Homes in which more is due have another turn when all others have had theirs. */
  async #look(): Promise<void> {
    const { accounts, inHand } = this.#parts;
    for (let isMoreDue = true; isMoreDue && !this.#isClosing; ) {
      isMoreDue = false;
      const homes = accounts.answering();
      for (const home of this.#waiting.keys()) if (!homes.includes(home)) this.#forget(home);
      for (const home of homes) if (await inHand.run(home, () => this.#takeTurn(home))) isMoreDue = true;
    }
  }

  #forget(home: string): void {
    this.#waiting.delete(home);
    this.#rests.delete(home);
  }

  /** Whether it has ended before all that is due was settled. */
  async #takeTurn(home: string): Promise<boolean> {
    const before = this.#waiting.get(home) ?? new Map<string, Waiting>();
    const rests = this.#rests.get(home) ?? [];
    const isLook = rests.length === 0;
    const turn = this.#begin(before, isLook);
    this.#waiting.set(home, turn.now);
    this.#rests.set(home, rests);
    try {
      if (isLook) await this.#lookInto(home, turn);
      else await this.#goOn(rests, turn);
    } catch (error) {
      this.#tell(`${home} ${String(error)}`, { event: 'answers.failed', home, err: error });
      this.#rests.delete(home);
      return false;
    }
    // What finds no room, or fails, is looked at anew when it is time for that.
    if (turn.isStopped || turn.settled === 0) this.#rests.delete(home);
    return this.#rests.get(home)?.some(({ names }) => names.length > 0) ?? false;
  }

  #begin(before: Map<string, Waiting>, isLook: boolean): Turn {
    const remembered = [...this.#waiting.values()];
    const inAll = remembered.reduce((sum, { size }) => sum + size, 0);
    const room = Math.min(WAITING_MAX - before.size, WAITING_IN_ALL_MAX - inAll);
    return { before, now: isLook ? new Map() : before, room, left: SETTLED_MAX, settled: 0, isStopped: false };
  }

  async #lookInto(home: string, turn: Turn): Promise<void> {
    ensureAnswerFolders(this.#parts.data, home);
    for (const answer of ORDER_ANSWERS) {
      const reasons = await this.#visit({ home, answer, folder: undefined }, turn);
      for (const folder of reasons) await this.#visit({ home, answer, folder }, turn);
    }
  }

  /** Files that have changed since they were found wait for the next look. */
  async #goOn(rests: Rest[], turn: Turn): Promise<void> {
    const [first] = rests;
    if (!first) return;
    const { place, names } = first;
    await this.#within(place, async (at) => {
      const due: Due[] = [];
      for (const name of names.splice(0, turn.left)) {
        const stats = await at.look(name);
        const waiting = turn.now.get(keyOf(place, name));
        if (stats && waiting?.facts === factsOf(stats)) due.push({ name, size: stats.size });
      }
      return this.#settleAll(place, at, await this.#takeAll(place, at, due, turn), turn);
    });
    if (names.length === 0) rests.shift();
  }

  /** Resolves with the folders in it, as many as are looked into. */
  async #visit(place: Place, turn: Turn): Promise<ByteName[]> {
    const inner: ByteName[] = [];
    await this.#within(place, async (at) => {
      const ours: Due[] = [];
      const due: Due[] = [];
      for (const [n, name] of (await at.list()).entries()) {
        if (n % NAMES_AT_ONCE === NAMES_AT_ONCE - 1) await new Promise((turned) => setImmediate(turned));
        const isOurs = parseCarried(name) !== undefined;
        if (name.startsWith('.') && !isOurs) continue;
        const key = keyOf(place, name);
        const isRemembered = turn.before.has(key) || turn.room > 0;
        const stats = isOurs || isRemembered ? await at.look(name) : null;
        if (!stats) continue;
        if (stats.isDirectory() && place.folder === undefined) {
          // It is found again, too, when its files have taken all the room.
          if (inner.push(name) <= REASONS_MAX) turn.now.set(key, FOLDER);
        } else if (!this.#isOrder(place, name, stats)) continue;
        else if (isOurs) ours.push({ name, size: stats.size });
        else if (this.#isDue(key, stats, turn)) due.push({ name, size: stats.size });
      }
      // What a crash, or a full inbox, has left goes first; that it is ours may not be durable yet.
      if (ours.length > 0) await this.#sync(place);
      const left = await this.#settleAll(place, at, ours, turn);
      const now = due.splice(0, turn.left);
      if (due.length > 0) this.#rests.get(place.home)?.push({ place, names: due.map(({ name }) => name) });
      return left + (await this.#settleAll(place, at, await this.#takeAll(place, at, now, turn), turn));
    });
    if (inner.length > REASONS_MAX) {
      const { home, answer } = place;
      this.#tell(`${home} ${answer}`, { event: 'answers.too-many-folders', home, answer, folders: inner.length, max: REASONS_MAX });
    }
    return inner.slice(0, REASONS_MAX);
  }

  /** Works in a folder, where it is there, and resolves when it is gone if it was made for a reason and its last order was settled. */
  async #within(place: Place, work: (at: SafeFolder) => Promise<number>): Promise<void> {
    const settled = await inFolder(homeFolder(this.#parts.data, place.home), componentsOf(place), work).catch(nullIf('missing'));
    if (settled) await this.#removeIfEmpty(place);
  }

  /** Whether it is a file that may be taken; anything else stays where it is. */
  #isOrder(place: Place, name: ByteName, stats: Stats): boolean {
    const isPlain = stats.isFile() && stats.nlink === 1 && stats.size <= this.#parts.limits.fileMax;
    if (!isPlain) {
      const fact = { event: 'answers.ignored', home: place.home, answer: place.answer, file: nameText(name), size: stats.size };
      this.#tell(keyOf(place, name), fact);
    }
    return isPlain && (!isTemporaryName(name) || parseCarried(name) !== undefined);
  }

  /** Whether it has waited for long enough; it is remembered until it is taken. */
  #isDue(key: string, stats: Stats, turn: Turn): boolean {
    const { clock, settings } = this.#parts;
    const before = turn.before.get(key);
    if (!before) turn.room--;
    const waiting = lookedAt(before, stats, clock.now());
    turn.now.set(key, waiting);
    return waiting.sinceMs + settings.answerAfter <= clock.now();
  }

  /** From now on they are ours: resolves with the names that say so, when these are durable. */
  async #takeAll(place: Place, at: SafeFolder, due: readonly Due[], turn: Turn): Promise<Due[]> {
    const taken: Due[] = [];
    for (const { name, size } of this.#mayGoOn(place, turn) ? due : []) {
      const ours = carriedName(this.#parts.newId(), name);
      this.#parts.inHand.check();
      const isTaken = await this.#attempt(place, name, turn, async () => renameOurs(at.path(name), at.path(ours)));
      if (isTaken) taken.push({ name: ours, size });
      turn.now.delete(keyOf(place, name));
    }
    if (taken.length > 0) await this.#sync(place);
    return taken;
  }

  /** Resolves with how many were settled, when it is durable that these are gone. */
  async #settleAll(place: Place, at: SafeFolder, ours: readonly Due[], turn: Turn): Promise<number> {
    let count = 0;
    const some = ours.slice(0, turn.left);
    turn.left -= some.length;
    await Promise.all(
      some.map(async ({ name, size }) => {
        using _place = await this.#settling.take(Math.max(size, ORDER_BYTES_MIN));
        if (!this.#mayGoOn(place, turn)) return;
        if (await this.#attempt(place, name, turn, () => this.#settle(place, at, name))) count++;
      }),
    );
    turn.settled += count;
    if (count > 0) await this.#sync(place);
    return count;
  }

  #sync(place: Place): Promise<void> {
    const { data, folders } = this.#parts;
    return folders.sync(homeFolder(data, place.home), componentsOf(place));
  }

  #mayGoOn({ home }: Place, { isStopped }: Turn): boolean {
    return !isStopped && !this.#isClosing && this.#parts.inHand.has(home);
  }

  /** Whether it went well; a file that is gone meanwhile was moved back. Where there is no room, the others need not try. */
  async #attempt(place: Place, name: ByteName, turn: Turn, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false;
      const isFull = error instanceof AppError && (error.code === 'quota' || error.code === 'storage');
      if (isFull) turn.isStopped = true;
      this.#tell(isFull ? `${place.home} ${error.code}` : `${keyOf(place, name)} ${String(error)}`, {
        event: 'order.postponed',
        home: place.home,
        file: nameText(name),
        err: error,
      });
      return false;
    }
  }

  async #settle(place: Place, at: SafeFolder, name: ByteName): Promise<void> {
    const carried = parseCarried(name);
    if (!carried) return;
    const bytes = await this.#read(at, name);
    await this.#parts.answers.settle({ ...place, move: carried.item, name: carried.name, bytes, sha256: hash('sha256', bytes) });
    await at.remove(name, this.#parts.inHand.check);
  }

  async #read(at: SafeFolder, name: ByteName): Promise<Buffer> {
    await using file = await openPlain(at.path(name));
    const { size } = await file.stat();
    if (size > this.#parts.limits.fileMax) throw new AppError('too-large', 'the file has become too large to be an order');
    return file.readFile();
  }

  /** A folder that was made for a reason goes with its last order. */
  async #removeIfEmpty(place: Place): Promise<void> {
    const { folder } = place;
    if (folder === undefined) return;
    await inFolder(homeFolder(this.#parts.data, place.home), componentsOf({ ...place, folder: undefined }), async (at) => {
      this.#parts.inHand.check();
      try {
        rmdirSync(at.path(folder));
      } catch {
        // Something lies in it still, or has its name by now.
      }
    });
  }

  /** Logs a fact once. */
  #tell(key: string, fact: object): void {
    if (this.#told.has(key) || this.#told.size >= TOLD_MAX) return;
    this.#told.add(key);
    this.#parts.log.warn(fact);
  }
}

function componentsOf({ answer, folder }: Place): string[] {
  return [ANSWER_FOLDER, answer, ...(folder === undefined ? [] : [folder])];
}

function keyOf({ answer, folder = '' }: Place, name: ByteName): string {
  return `${answer}/${folder}/${name}`;
}

/** A file that has changed starts to wait again. */
function lookedAt(before: Waiting | undefined, stats: Stats, nowMs: number): Waiting {
  const facts = factsOf(stats);
  return before?.facts === facts && before.sinceMs <= nowMs ? before : { facts, sinceMs: nowMs };
}

/** With `ctime`: it also tells a file that was moved away and back between two looks. */
function factsOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
