// One look at one file of a watched folder: it waits, or it is whole and goes to the intake.
import { hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { AppError } from '#domain/error.ts';
import { speaksFor } from '#gateway/model/done-file.ts';
import { nameText } from '#gateway/model/file-names.ts';
import type { ByteName, Intake } from '#gateway/model/intake.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Semaphore } from '#runtime/concurrency.ts';
import { READ_PLAIN } from '#runtime/files/durable.ts';
import type { SafeFolder } from '#runtime/files/safe-folder.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { Log } from '#runtime/log.ts';
import { judge } from './content.ts';
import { type Contents, type Folder, firstTold } from './folder.ts';
import { type Candidate, lookedAt, type SettleSettings, startedAnew, stepOf, waiting } from './settle.ts';

export interface FileParts {
  readonly intake: Intake;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: SettleSettings;
  /** A longer file is not read before it is taken. */
  readonly limits: { readonly fileMax: number };
  readonly atOnce: { readonly files: Semaphore; readonly bytes: Semaphore };
}

type Outcome =
  | 'taken'
  | 'waits'
  /** No more of this home may wait for the service. */
  | 'full'
  /** It could not be read or taken, which was logged; it is tried again later. */
  | 'failed';

/** When a file that could not be taken (unreadable, disk full) is tried again. */
const AFTER_FAILURE_MS = 5 * 60_000;
/** Of a larger file the intake makes the digest itself, a piece at a time. */
const DIGESTED_HERE_MAX = 128 * 1024;

/** Entries of a folder that are no documents, and how the log calls them. */
const STRANGE: readonly (readonly [is: (stats: Stats) => boolean, what: string])[] = [
  [(stats) => stats.isSymbolicLink(), 'a symbolic link, which is not followed'],
  [(stats) => stats.isDirectory(), 'a folder'],
  [(stats) => !stats.isFile(), 'no regular file'],
  [(stats) => stats.nlink > 1, 'a file with a second name elsewhere (a hard link), which might still be written there'],
];

/** The folder of a file, held open. */
export interface Inside {
  readonly folder: Folder;
  readonly contents: Contents;
  readonly at: SafeFolder;
}

/** Looks at a file, and takes it when it is complete. `done`: the done-file that must speak for it, where the home asks for one. */
export function lookAtFile(parts: FileParts, inside: Inside, name: ByteName, done: ByteName | null): Promise<Outcome> {
  return new FileLook(parts, inside, name).run(done);
}

class FileLook {
  readonly #parts: FileParts;
  readonly #inside: Inside;
  readonly #name: ByteName;

  constructor(parts: FileParts, inside: Inside, name: ByteName) {
    this.#parts = parts;
    this.#inside = inside;
    this.#name = name;
  }

  async run(done: ByteName | null): Promise<Outcome> {
    const { clock } = this.#parts;
    const { candidates } = this.#inside.contents;
    try {
      const stats = await this.#inside.at.look(this.#name);
      if (!stats) return this.#gone();
      const strange = STRANGE.find(([is]) => is(stats));
      if (strange) return this.#ignore(stats, strange[1]);
      const candidate = lookedAt(candidates.get(this.#name), stats, clock.now());
      candidates.set(this.#name, candidate);
      return done === null ? await this.#whenSettled(candidate) : await this.#whenDone(candidate, done);
    } catch (error) {
      return isGone(error) ? this.#gone() : this.#failed(error);
    }
  }

  #gone(): Outcome {
    this.#inside.contents.candidates.delete(this.#name);
    return 'waits';
  }

  #ignore(stats: Stats, what: string): Outcome {
    const { clock, settings } = this.#parts;
    this.#logFirst({ event: 'watch.ignored', what });
    // A second name may be removed, which nothing reports.
    if (stats.isFile()) this.#lookAgain(lookedAt(undefined, stats, clock.now()), settings.rescan);
    return 'waits';
  }

  #failed(error: unknown): Outcome {
    const candidate = this.#inside.contents.candidates.get(this.#name);
    if (candidate) this.#lookAgain(candidate, AFTER_FAILURE_MS);
    this.#logFirst({ event: 'watch.take-failed', againMs: AFTER_FAILURE_MS, err: error });
    return 'failed';
  }

  /** Logs the first line about a name. */
  #logFirst(fact: object): void {
    const { folder, contents } = this.#inside;
    if (firstTold(contents, this.#name)) this.#parts.log.warn({ home: folder.place.home, file: nameText(this.#name), ...fact });
  }

  #lookAgain(candidate: Candidate, afterMs: number): void {
    this.#inside.contents.candidates.set(this.#name, { ...candidate, dueMs: this.#parts.clock.now() + afterMs });
  }

  #wait(candidate: Candidate): Outcome {
    this.#inside.contents.candidates.set(this.#name, waiting(candidate, this.#parts.settings));
    return 'waits';
  }

  async #whenDone(candidate: Candidate, done: ByteName): Promise<Outcome> {
    const stats = await this.#inside.at.look(done);
    if (!stats?.isFile() || !speaksFor(stats, candidate.facts)) {
      this.#lookAgain(candidate, this.#parts.settings.rescan);
      return 'waits';
    }
    using _file = await this.#parts.atOnce.files.take();
    return this.#take(candidate, null);
  }

  async #whenSettled(candidate: Candidate): Promise<Outcome> {
    const { settings, limits, atOnce, log } = this.#parts;
    const { folder, at } = this.#inside;
    const { facts, quietMs } = candidate;
    const step = stepOf(candidate, settings, !folder.shared);
    const isReadable = facts.size <= limits.fileMax;
    if (step === 'wait' || (!isReadable && quietMs < settings.settle)) return this.#wait(candidate);
    using _file = await atOnce.files.take();
    using _bytes = await atOnce.bytes.take(isReadable ? facts.size : 0);
    if (step === 'take' || !isReadable) return this.#take(candidate, null);
    const bytes = await readWhole(at.path(this.#name), facts.size);
    const verdict = await judge(bytes);
    if (verdict === 'unfinished' && quietMs < settings.incomplete) {
      const waitsMs = settings.incomplete - quietMs;
      if (!candidate.told) log.info({ event: 'watch.incomplete', home: folder.place.home, file: nameText(this.#name), waitsMs });
      return this.#wait({ ...candidate, unfinished: true, told: true });
    }
    if (verdict !== 'whole' && quietMs < settings.settle) return this.#wait({ ...candidate, mustSettle: true });
    return this.#take(candidate, bytes.length > DIGESTED_HERE_MAX ? null : hash('sha256', bytes));
  }

  async #take(candidate: Candidate, sha256: string | null): Promise<Outcome> {
    const { intake, clock, settings } = this.#parts;
    const { folder, contents, at } = this.#inside;
    try {
      await intake.take(folder.place, this.#name, at.path(this.#name), { ...candidate.facts, sha256 });
      contents.candidates.delete(this.#name);
      return 'taken';
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'quota') return 'full';
      if (error.code !== 'in-flight') throw error;
      contents.candidates.set(this.#name, startedAnew({ ...candidate, lookedMs: clock.now() }, settings));
      return 'waits';
    }
  }
}

/** At most so many bytes of a file, to which others may write meanwhile; fewer when it has become shorter. */
async function readWhole(path: Buffer, size: number): Promise<Buffer> {
  await using file = await open(path, READ_PLAIN);
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read) {
    read = (await file.read(bytes, length, size - length, length)).bytesRead;
  }
  return bytes.subarray(0, length);
}

function isGone(error: unknown): boolean {
  const cause = error instanceof AppError && error.cause !== undefined ? error.cause : error;
  return systemCode(cause) === 'ENOENT';
}
