// Folder drops: programs on this machine, or on others through a shared file system, write into an inbox; what is complete is taken into
// the spool (submit-and-poll.md, step 1, 'Folder'). Events say where to look soon; rounds over all folders find what events did not tell.
import type { Stats } from 'node:fs';
import type { Intake } from '#gateway/model/intake.ts';
import type { Clock } from '#runtime/clock.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import type { Log } from '#runtime/log.ts';
import type { Census } from './candidates.ts';
import { openEvents, systemWatch, type WatchFolder } from './events.ts';
import type { FileSettings } from './file.ts';
import { openFileSystems } from './file-system.ts';
import type { Folder, WatchedFolder } from './folder.ts';
import { forgetContents } from './list.ts';
import { startRounds } from './rounds.ts';
import { pausedUntilMs, visit } from './visit.ts';
import { openAgenda } from './visit-times.ts';

export interface WatchSettings extends FileSettings {
  /** `polling`: no events, for folders that others may change; those on file systems known to be of that kind need no telling. */
  readonly watch: 'events' | 'polling';
}

export interface WatchParts {
  readonly intake: Intake;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: WatchSettings;
  /** How folders are watched, when it is not as this system does it. */
  readonly watchFolder?: WatchFolder;
}

export interface DropWatcher {
  /** The folders to watch from now on, instead of those before. */
  follow(folders: readonly WatchedFolder[]): void;
  /** Stops, and resolves when no file is being taken any more. */
  close(): Promise<void>;
}

const VISITS_MAX = 8;
const FILES_AT_ONCE_MAX = 32;
const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** A shared folder that had files within this time is visited every `rescan`, however many others there are. */
const ACTIVE_MS = 10 * 60_000;

export function startWatching({ intake, clock, log, settings, watchFolder = systemWatch }: WatchParts): DropWatcher {
  let followed = new Map<string, Folder>();
  let all: readonly Folder[] = [];
  const census: Census = { total: 0 };
  const atOnce = { files: new Semaphore(FILES_AT_ONCE_MAX), bytes: new Semaphore(FILE_BYTES_MAX) };
  const events = openEvents(watchFolder, clock, log);
  const isShared = openFileSystems();
  const agenda = openAgenda<Folder>(clock, VISITS_MAX, async (folder) => {
    const nextMs = (await visit({ intake, clock, log, settings, atOnce, census, attend }, folder)) ?? whileActive(folder);
    if (nextMs !== undefined && isFollowed(folder)) agenda.at(folder, nextMs);
  });
  const isFollowed = (folder: Folder): boolean => followed.get(folder.key) === folder;
  const soon = (folder: Folder): void => agenda.at(folder, pausedUntilMs(folder, clock.now()));

  /** Of a shared folder nothing is heard between rounds. */
  function whileActive(folder: Folder): number | undefined {
    const now = clock.now();
    if (!folder.shared) return undefined;
    if (folder.contents) folder.activeUntilMs = now + ACTIVE_MS;
    return now < folder.activeUntilMs ? now + settings.rescan : undefined;
  }

  async function attend(folder: Folder, { dev, ino }: Stats, path: Buffer): Promise<void> {
    const { place } = folder;
    if (folder.watch?.dev === dev && folder.watch.ino === ino) return;
    unwatch(folder);
    folder.shared = settings.watch === 'polling' || (await isShared(path, dev));
    if (folder.shared || !isFollowed(folder)) return;
    const died = (error: unknown): void => {
      log.warn({ event: 'watch.died', home: place.home, err: error });
      unwatch(folder);
      soon(folder);
    };
    const watch = events.watch(String(path), () => soon(folder), died);
    if (watch) folder.watch = { of: watch, dev, ino };
  }

  function unwatch(folder: Folder): void {
    folder.watch?.of.close();
    folder.watch = null;
  }

  function begin(place: WatchedFolder, key: string): Folder {
    const folder: Folder = {
      place,
      key,
      listing: null,
      names: 0,
      contents: null,
      trouble: null,
      full: false,
      watch: null,
      shared: settings.watch === 'polling',
      activeUntilMs: 0,
    };
    agenda.at(folder, clock.now());
    return folder;
  }

  function end(folder: Folder): void {
    agenda.strike(folder);
    unwatch(folder);
    forgetContents(folder);
  }

  const failed = (error: unknown): void => log.error({ event: 'watch.rounds-failed', err: error });
  const rounds = startRounds({
    clock,
    rescan: settings.rescan,
    folders: () => all,
    visit: (folder) => agenda.at(folder, clock.now()),
    failed,
  });
  return {
    follow(places) {
      const before = followed;
      followed = new Map();
      for (const place of places) {
        const key = `${place.home}/${place.folder}`;
        const known = before.get(key);
        const folder = known ?? begin(place, key);
        if (known && known.place.doneFile !== place.doneFile) agenda.at(known, clock.now());
        folder.place = place;
        followed.set(key, folder);
        before.delete(key);
      }
      all = [...followed.values()];
      for (const folder of before.values()) end(folder);
    },
    async close() {
      rounds[Symbol.dispose]();
      await agenda.close();
      for (const folder of all) end(folder);
    },
  };
}
