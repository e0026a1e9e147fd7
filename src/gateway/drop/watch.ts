// Folder drops: programs on the same machine (or on NFS) write into home/inbox. Events are hints, a rescan is the truth; what is
// complete is taken into the spool (submit-and-poll.md, step 1, 'Folder').
import { lstatSync, readdirSync, renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { AppError } from '#domain/error.ts';
import { type Intake, isTemporaryName, type Place } from '#gateway/intake.ts';
import { lookAt } from '#gateway/look.ts';
import { nameText } from '#gateway/names.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { ensureFolder, READ_PLAIN } from '#runtime/files.ts';
import type { Log } from '#runtime/log.ts';

export interface WatchSettings {
  /** A file must not have changed for so long. */
  readonly settle: number;
  /** How often all folders are read, whatever the events said. */
  readonly rescan: number;
  /** How long a document that ends early is waited for. */
  readonly incomplete: number;
  /** A longer file is not read before it is taken. */
  readonly fileMax: number;
}

export interface WatchParts {
  readonly intake: Intake;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: WatchSettings;
}

export interface WatchedFolder extends Place {
  readonly path: string;
}

export interface DropWatcher {
  /** The folders to watch from now on, instead of those before. */
  follow(folders: readonly WatchedFolder[]): void;
  /** Stops, and resolves when no file is being taken any more. */
  close(): Promise<void>;
}

/** A file that cannot be taken (it cannot be read, the disk is full) is tried again so much later. */
const AFTER_FAILURE_MS = 5 * 60_000;

interface Candidate {
  size: number;
  mtimeMs: number;
  ino: number;
  /** Unchanged since. */
  sinceMs: number;
  /** Not to be taken before: it could not be taken, and somebody must look. */
  notBeforeMs: number;
  /** It ends early; while it does not change, it need not be read again to know that. */
  incomplete: boolean;
  timer: Disposable | null;
}

export function startWatching({ intake, clock, log, settings }: WatchParts): DropWatcher {
  let folders = new Map<string, WatchedFolder>();
  const candidates = new Map<string, Candidate>();
  const taking = new Map<string, Promise<void>>();
  let closed = false;
  const failed = (error: unknown): void => log.warn({ event: 'watch.failed', err: error });

  const watcher: FSWatcher = watch([], {
    depth: 0,
    followSymlinks: false,
    ignored: (path) => isTemporaryName(basename(path)) && !folders.has(path),
  });
  watcher.on('add', (path) => guarded(() => consider(path)));
  watcher.on('change', (path) => guarded(() => consider(path)));
  watcher.on('error', failed);

  /** Events and timers must not throw; a folder in disorder (no rights, no folder any more) is for somebody to look at, and harms no other. */
  function guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      failed(error);
    }
  }

  /** Looks at a file: remembers it, or takes it when it has settled. */
  function consider(path: string): void {
    const place = folders.get(dirname(path));
    if (closed || !place || taking.has(path) || isTemporaryName(basename(path))) return;
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.nlink > 1) {
      forget(path);
      return;
    }
    const { size, mtimeMs, ino } = stat;
    const before = candidates.get(path);
    const same = before?.size === size && before.mtimeMs === mtimeMs && before.ino === ino;
    const candidate: Candidate = same
      ? before
      : { size, mtimeMs, ino, sinceMs: clock.now(), notBeforeMs: 0, incomplete: false, timer: null };
    if (!same) forget(path);
    candidates.set(path, candidate);
    const leftMs = Math.max(candidate.sinceMs + settings.settle, candidate.notBeforeMs) - clock.now();
    if (leftMs > 0) candidate.timer ??= clock.after(leftMs, () => lookAgain(path, candidate));
    else begin(place, path, candidate);
  }

  function lookAgain(path: string, candidate: Candidate): void {
    candidate.timer = null;
    guarded(() => consider(path));
  }

  function begin(place: WatchedFolder, path: string, candidate: Candidate): void {
    const work = takeComplete(place, path, candidate).catch(failed);
    taking.set(path, work);
    void work.finally(() => taking.delete(path));
  }

  async function takeComplete(place: WatchedFolder, path: string, candidate: Candidate): Promise<void> {
    if (clock.now() - candidate.sinceMs < settings.incomplete) {
      if (candidate.incomplete) return;
      candidate.incomplete = await endsEarly(path, candidate);
      if (candidate.incomplete) {
        log.info({ event: 'watch.incomplete', home: place.home, file: basename(path), waitsMs: settings.incomplete });
        return;
      }
    }
    try {
      await intake.take(place, Buffer.from(basename(path)).toString('latin1'), path);
      forget(path);
    } catch (error) {
      if (error instanceof AppError && error.code === 'in-flight') {
        candidate.sinceMs = clock.now();
      } else {
        candidate.notBeforeMs = clock.now() + AFTER_FAILURE_MS;
        throw error;
      }
    }
  }

  async function endsEarly(path: string, { size }: Candidate): Promise<boolean> {
    if (size > settings.fileMax) return false;
    try {
      await lookAt(await readFile(path, { flag: READ_PLAIN }));
      return false;
    } catch (error) {
      return error instanceof AppError && error.facts.truncated === true;
    }
  }

  function forget(path: string): void {
    candidates.get(path)?.timer?.[Symbol.dispose]();
    candidates.delete(path);
  }

  /** A name that is no UTF-8 (of a program that writes Latin-1) cannot be handed on; the file gets the name that was meant, once it has settled. */
  function considerBytes(folder: string, bytes: Buffer): void {
    const name = bytes.toString();
    if (Buffer.from(name).equals(bytes)) {
      consider(join(folder, name));
      return;
    }
    const meant = nameText(bytes.toString('latin1'));
    const path = Buffer.concat([Buffer.from(`${folder}/`), bytes]);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.nlink > 1 || isTemporaryName(meant)) return;
    const target = join(folder, meant);
    if (clock.now() - stat.mtimeMs < settings.settle || lstatSync(target, { throwIfNoEntry: false })) return;
    renameSync(path, target);
    log.info({ event: 'watch.renamed', file: meant });
    consider(target);
  }

  function rescan(): void {
    for (const { path } of folders.values()) {
      guarded(() => {
        for (const name of readdirSync(ensureFolder(path), { encoding: 'buffer' })) guarded(() => considerBytes(path, name));
      });
    }
    for (const path of candidates.keys()) guarded(() => lstatSync(path, { throwIfNoEntry: false }) ?? forget(path));
  }

  const timer = every(clock, settings.rescan, rescan, failed);
  return {
    follow(next) {
      const before = folders;
      folders = new Map(next.map((folder) => [folder.path, folder]));
      watcher.unwatch([...before.keys()].filter((path) => !folders.has(path)));
      watcher.add([...folders.keys()].filter((path) => !before.has(path)));
    },
    async close() {
      closed = true;
      timer[Symbol.dispose]();
      for (const path of candidates.keys()) forget(path);
      await watcher.close();
      await Promise.all(taking.values());
    },
  };
}
