// What the kernel tells of folders: that a name came or went. A hint and no more, for a queue that overflows loses events, and says nothing.
import { watch } from 'node:fs';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

export interface Watch {
  close(): void;
}

/** Begins to watch a folder: `changed` is called when a name came or went, `died` when nothing more will be heard. Throws what the system says. */
export type WatchFolder = (path: string, changed: () => void, died: (error: unknown) => void) => Watch;

export interface Events {
  /** Null while the system grants no more watches: then the folder is only looked at in turn. */
  watch(path: string, changed: () => void, died: (error: unknown) => void): Watch | null;
}

/** Errors that say that there are too many watches, not that something is wrong with the folder. */
const LIMITS = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);
/** How soon after that another watch is tried. */
const TRY_AGAIN_MS = 10 * 60_000;

export function openEvents(watchFolder: WatchFolder, clock: Clock, log: Log): Events {
  let noneBeforeMs = 0;
  let told = false;
  return {
    watch(path, changed, died) {
      if (clock.now() < noneBeforeMs) return null;
      try {
        return watchFolder(path, changed, died);
      } catch (error) {
        if (!isLimit(error)) throw error;
        noneBeforeMs = clock.now() + TRY_AGAIN_MS;
        if (!told)
          log.warn({
            event: 'watch.limit',
            err: error,
            remedy: 'raise the sysctl fs.inotify.max_user_watches; until then folders are looked at in turn',
          });
        told = true;
        return null;
      }
    },
  };
}

/** inotify, on Linux. A write into a file is no event here: whether a file is complete is a matter of looks, not of events. */
export const systemWatch: WatchFolder = (path, changed, died) => {
  const watcher = watch(path, { persistent: false }, (type) => {
    if (type === 'rename') changed();
  });
  watcher.on('error', died);
  return watcher;
};

function isLimit(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && LIMITS.has(error.code);
}
