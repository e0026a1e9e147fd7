// The folders of a home into which orders are moved to be answered. A file that has lain there for a minute (`gateway.answerAfter`) is ours: it gets
// a name with the move's id, by which a start after a crash knows it, and leaves the folder when it is settled. Until then it may be moved back, and
// nothing has happened.
//
//   name          waits, from when it was first seen as it is
//   .MOVE~name    ours: its response is made, or in custody already
import { hash } from 'node:crypto';
import { renameSync, rmdirSync, type Stats } from 'node:fs';
import { AppError } from '#domain/error.ts';
import { carriedName, parseCarried } from '#gateway/disk/carry.ts';
import { ensureAnswerFolders, homeFolder } from '#gateway/disk/paths.ts';
import type { Accounts } from '#gateway/model/account.ts';
import { nameText } from '#gateway/model/file-names.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { type ByteName, isTemporaryName } from '#gateway/model/intake.ts';
import { ANSWER_FOLDER, ORDER_ANSWERS, type OrderAnswer } from '#gateway/model/order-answer.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { type FolderSync, openPlain } from '#runtime/files/durable.ts';
import { inFolder, type SafeFolder } from '#runtime/files/safe-folder.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { Log } from '#runtime/log.ts';
import type { OrderAnswers } from './order-answers.ts';

const LOOK_EVERY_MS = 5_000;
/** Files of one home that are remembered; the others wait until these are settled. */
const WAITING_MAX = 1_000;
/** Folders with a reason that are looked into, of each answer. */
const REASONS_MAX = 100;
/** Names that were logged. */
const TOLD_MAX = 1_000;

export interface AnswerSettings {
  /** How long an order must lie there before it is answered. */
  readonly answerAfter: number;
}

export interface AnswerFoldersParts {
  readonly settings: AnswerSettings;
  readonly data: string;
  readonly newId: () => string;
  readonly accounts: Pick<Accounts, 'answering'>;
  readonly inHand: Pick<HomesInHand, 'run'>;
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

export class AnswerFolders implements AsyncDisposable {
  readonly #parts: AnswerFoldersParts;
  readonly #looking: Disposable;
  /** By home, and the file's place in it. */
  readonly #waiting = new Map<string, Map<string, Waiting>>();
  readonly #told = new Set<string>();
  #round: Promise<void>;

  constructor(parts: AnswerFoldersParts) {
    this.#parts = parts;
    this.#round = this.#look();
    this.#looking = every(
      parts.clock,
      Math.min(LOOK_EVERY_MS, parts.settings.answerAfter),
      () => {
        this.#round = this.#look();
        return this.#round;
      },
      (error) => parts.log.error({ event: 'answers.failed', err: error }),
    );
  }

  /** Resolves when no order is being answered any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#looking[Symbol.dispose]();
    await this.#round;
  }

  async #look(): Promise<void> {
    const { accounts, inHand } = this.#parts;
    const homes = accounts.answering();
    for (const home of this.#waiting.keys()) if (!homes.includes(home)) this.#waiting.delete(home);
    for (const home of homes) await inHand.run(home, () => this.#lookInto(home));
  }

  async #lookInto(home: string): Promise<void> {
    const before = this.#waiting.get(home) ?? new Map<string, Waiting>();
    const now = new Map<string, Waiting>();
    this.#waiting.set(home, now);
    try {
      ensureAnswerFolders(this.#parts.data, home);
      for (const answer of ORDER_ANSWERS) {
        const reasons = await this.#visit({ home, answer, folder: undefined }, before, now);
        for (const folder of reasons.slice(0, REASONS_MAX)) await this.#visit({ home, answer, folder }, before, now);
      }
    } catch (error) {
      this.#tell(`${home} ${String(error)}`, { event: 'answers.failed', home, err: error });
    }
  }

  /** Resolves with the folders in it. */
  async #visit(place: Place, before: ReadonlyMap<string, Waiting>, now: Map<string, Waiting>): Promise<ByteName[]> {
    const inner: ByteName[] = [];
    const settled = await inFolder(homeFolder(this.#parts.data, place.home), componentsOf(place), async (at) => {
      let count = 0;
      for (const name of await at.list()) {
        const stats = await at.look(name);
        if (!stats || (name.startsWith('.') && !parseCarried(name))) continue;
        if (stats.isDirectory() && place.folder === undefined) inner.push(name);
        else if (this.#isOrder(place, name, stats) && (await this.#isSettled(place, at, name, stats, before, now))) count++;
      }
      return count;
    }).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'missing') return 0;
      throw error;
    });
    if (settled > 0) await this.#removeIfEmpty(place);
    return inner;
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

  /** Settles it when it has waited for long enough. */
  async #isSettled(
    place: Place,
    at: SafeFolder,
    name: ByteName,
    stats: Stats,
    before: ReadonlyMap<string, Waiting>,
    now: Map<string, Waiting>,
  ): Promise<boolean> {
    const key = keyOf(place, name);
    try {
      if (parseCarried(name)) return await this.#settle(place, at, name);
      const { clock, settings } = this.#parts;
      const waiting = lookedAt(before.get(key), stats, clock.now());
      if (waiting.sinceMs + settings.answerAfter <= clock.now()) return await this.#settle(place, at, await this.#take(place, at, name));
      if (now.size < WAITING_MAX) now.set(key, waiting);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false;
      this.#tell(`${key} ${String(error)}`, { event: 'order.postponed', home: place.home, file: nameText(name), err: error });
    }
    return false;
  }

  /** From now on it is ours: resolves with the name that says so. */
  async #take(place: Place, at: SafeFolder, name: ByteName): Promise<ByteName> {
    const { data, newId, folders } = this.#parts;
    const ours = carriedName(newId(), name);
    renameSync(at.path(name), at.path(ours));
    await folders.sync(homeFolder(data, place.home), componentsOf(place));
    return ours;
  }

  async #settle(place: Place, at: SafeFolder, name: ByteName): Promise<boolean> {
    const { data, answers, folders } = this.#parts;
    const carried = parseCarried(name);
    if (!carried) return false;
    const bytes = await this.#read(at, name);
    await answers.settle({ ...place, move: carried.item, name: carried.name, bytes, sha256: hash('sha256', bytes) });
    await at.remove(name);
    await folders.sync(homeFolder(data, place.home), componentsOf(place));
    return true;
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

/** A file that changes waits anew. */
function lookedAt(before: Waiting | undefined, { ino, size, mtimeMs }: Stats, nowMs: number): Waiting {
  const facts = `${ino} ${size} ${mtimeMs}`;
  return before?.facts === facts && before.sinceMs <= nowMs ? before : { facts, sinceMs: nowMs };
}
