// The folders that were used last, of which the system reports changes at once. All others are looked at in rounds, which also find what a
// report has lost.
import { realpathSync, type Stats } from 'node:fs';
import { FSWatcher } from 'chokidar';
import type { Clock } from '#runtime/clock.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { Log } from '#runtime/log.ts';
import type { Folder, Watch } from './folder.ts';

/** Watches a folder: `changed` is called when a name came or went, `failed` when no more will be reported. */
export type WatchFolder = (path: string, changed: () => void, failed: (error: unknown) => void) => Watch;

interface HotFoldersParts {
  /** How many folders are watched at the same time. */
  readonly watched: number;
  readonly watchFolder: WatchFolder;
  readonly clock: Clock;
  readonly log: Log;
  /** Something in the folder has changed, or may have. */
  readonly changed: (folder: Folder) => void;
}

/** Errors of the system's limits. */
const LIMITS: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);
const AFTER_LIMIT_MS = 10 * 60_000;

export class HotFolders {
  readonly #parts: HotFoldersParts;
  /** In the order of their last use. */
  readonly #hot = new Set<Folder>();
  #limitedUntilMs = 0;
  #isLimitTold = false;

  constructor(parts: HotFoldersParts) {
    this.#parts = parts;
  }

  /** Watches a folder that is in use, in place of the one whose last use is longest ago; others only while there is room. */
  visited(folder: Folder, { dev, ino }: Stats, path: Buffer, isInUse: boolean): void {
    const { watched, clock } = this.#parts;
    if (folder.watch && (folder.watch.dev !== dev || folder.watch.ino !== ino)) this.drop(folder);
    if (isInUse && this.#hot.delete(folder)) this.#hot.add(folder);
    const isWanted = !folder.watch && watched > 0 && (isInUse || this.#hot.size < watched);
    if (!isWanted || clock.now() < this.#limitedUntilMs) return;
    const [oldest] = this.#hot;
    if (oldest && this.#hot.size >= watched) this.drop(oldest);
    this.#hot.add(folder);
    // `path` names a descriptor, which is closed after the visit.
    folder.watch = { of: this.#watch(folder, realpathSync(path)), dev, ino };
  }

  drop(folder: Folder): void {
    folder.watch?.of.close();
    folder.watch = null;
    this.#hot.delete(folder);
  }

  #watch(folder: Folder, path: string): Watch {
    const { watchFolder, changed } = this.#parts;
    const watch = watchFolder(
      path,
      () => changed(folder),
      (error) => {
        if (folder.watch?.of === watch) this.#failed(folder, error);
      },
    );
    return watch;
  }

  #failed(folder: Folder, error: unknown): void {
    const { clock, log, changed } = this.#parts;
    this.drop(folder);
    if (!LIMITS.has(systemCode(error))) {
      log.warn({ event: 'watch.lost', home: folder.place.home, err: error });
      changed(folder);
      return;
    }
    this.#limitedUntilMs = clock.now() + AFTER_LIMIT_MS;
    const remedy = 'raise the sysctl fs.inotify.max_user_watches; until then folders are looked at in rounds';
    if (!this.#isLimitTold) log.warn({ event: 'watch.limit', err: error, remedy });
    this.#isLimitTold = true;
  }
}

/**
 * chokidar on the folder without its files: they are ignored, so that chokidar neither keeps nor looks at each of them, and its `raw` events
 * tell that a name came or went. A write into a file is no such event: visits find out whether a file is complete.
 */
export const systemWatch: WatchFolder = (path, changed, failed) => {
  const watcher = new FSWatcher({
    persistent: false,
    ignoreInitial: true,
    followSymlinks: false,
    depth: 0,
    atomic: false,
    ignored: (each) => each !== path,
  });
  watcher.on('raw', (event) => {
    if (event === 'rename') changed();
  });
  watcher.on('error', failed);
  watcher.add(path);
  return { close: () => void watcher.close().catch(failed) };
};
