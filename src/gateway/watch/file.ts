// One look at one file of a watched folder: it waits, or it is whole and goes to the intake.
import { createHash } from 'node:crypto';
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
import type { Log } from '#runtime/log.ts';
import { judge } from './content.ts';
import { type Contents, type Folder, firstTold } from './folder.ts';
import { type Candidate, lookedAt, type SettleSettings, startedAnew, stepOf, waiting } from './settle.ts';

export interface FileSettings extends SettleSettings {
  /** A longer file is not read before it is taken. */
  readonly fileMax: number;
}

export interface FileParts {
  readonly intake: Intake;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: FileSettings;
  readonly atOnce: { readonly files: Semaphore; readonly bytes: Semaphore };
}

export type Outcome =
  | 'taken'
  | 'waits'
  /** No more of this home may wait for the service. */
  | 'full'
  /** It could not be read or taken; somebody was told, and it is tried again later. */
  | 'failed';

/** A file that cannot be taken (it cannot be read, the disk is full) is tried again so much later. */
const AFTER_FAILURE_MS = 5 * 60_000;
/** The intake reads a larger file itself for its digest, a piece at a time. */
const DIGESTED_HERE_MAX = 128 * 1024;

/** What may have a name in a folder without being a document, and what is said of it. */
const STRANGE: readonly (readonly [is: (stats: Stats) => boolean, what: string])[] = [
  [(stats) => stats.isSymbolicLink(), 'a symbolic link, which is not followed'],
  [(stats) => stats.isDirectory(), 'a folder'],
  [(stats) => !stats.isFile(), 'no regular file'],
  [(stats) => stats.nlink > 1, 'a file with a second name elsewhere (a hard link), which might still be written there'],
];

/** Where a file is: its folder, held open. */
export interface Inside {
  readonly folder: Folder;
  readonly contents: Contents;
  readonly at: SafeFolder;
}

/** `done`: the file that says that it is complete, where the home asks for one. */
export async function lookAtFile(parts: FileParts, inside: Inside, name: ByteName, done: ByteName | null): Promise<Outcome> {
  const { clock, log, settings } = parts;
  const { folder, contents, at } = inside;
  const { place } = folder;
  const { candidates } = contents;
  const before = candidates.get(name);
  const later = (candidate: Candidate, ms: number): void => candidates.set(name, { ...candidate, dueMs: clock.now() + ms });
  try {
    const stats = await at.look(name);
    if (!stats) return gone();
    const strange = STRANGE.find(([is]) => is(stats));
    if (strange) {
      if (firstTold(contents, name)) log.warn({ event: 'watch.ignored', home: place.home, file: nameText(name), what: strange[1] });
      // A second name may go, and nobody tells us.
      if (stats.isFile()) later(lookedAt(undefined, stats, clock.now()), settings.rescan);
      return 'waits';
    }
    const candidate = lookedAt(before, stats, clock.now());
    candidates.set(name, candidate);
    return done === null ? await whenSettled(candidate) : await whenDone(candidate, done);
  } catch (error) {
    if (isGone(error)) return gone();
    const candidate = candidates.get(name);
    if (candidate) later(candidate, AFTER_FAILURE_MS);
    if (firstTold(contents, name)) {
      log.warn({ event: 'watch.untaken', home: place.home, file: nameText(name), againMs: AFTER_FAILURE_MS, err: error });
    }
    return 'failed';
  }

  function gone(): Outcome {
    candidates.delete(name);
    return 'waits';
  }

  function wait(candidate: Candidate): Outcome {
    candidates.set(name, waiting(candidate, settings));
    return 'waits';
  }

  async function whenDone(candidate: Candidate, doneName: ByteName): Promise<Outcome> {
    const stats = await at.look(doneName);
    if (!stats?.isFile() || !speaksFor(stats, candidate.facts)) {
      later(candidate, settings.rescan);
      return 'waits';
    }
    using _file = await parts.atOnce.files.take();
    return take(candidate, null);
  }

  async function whenSettled(candidate: Candidate): Promise<Outcome> {
    const { facts, quietMs } = candidate;
    const step = stepOf(candidate, settings, !folder.shared);
    const isReadable = facts.size <= settings.fileMax;
    if (step === 'wait' || (!isReadable && quietMs < settings.settle)) return wait(candidate);
    using _file = await parts.atOnce.files.take();
    using _bytes = await parts.atOnce.bytes.take(isReadable ? facts.size : 0);
    if (step === 'take' || !isReadable) return take(candidate, null);
    const bytes = await readWhole(at.path(name), facts.size);
    const verdict = await judge(bytes);
    if (verdict === 'unfinished' && quietMs < settings.incomplete) {
      if (!candidate.told) {
        log.info({ event: 'watch.incomplete', home: place.home, file: nameText(name), waitsMs: settings.incomplete - quietMs });
      }
      return wait({ ...candidate, unfinished: true, told: true });
    }
    if (verdict !== 'whole' && quietMs < settings.settle) return wait({ ...candidate, mustSettle: true });
    return take(candidate, bytes.length > DIGESTED_HERE_MAX ? null : createHash('sha256').update(bytes).digest('hex'));
  }

  async function take(candidate: Candidate, sha256: string | null): Promise<Outcome> {
    try {
      await parts.intake.take(place, name, at.path(name), { ...candidate.facts, sha256 });
      candidates.delete(name);
      return 'taken';
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'quota') return 'full';
      if (error.code !== 'in-flight') throw error;
      candidates.set(name, startedAnew({ ...candidate, lookedMs: clock.now() }, settings));
      return 'waits';
    }
  }
}

/** So many bytes of a file and no more, whatever is written to it meanwhile; fewer when it is shorter by now. */
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
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}
