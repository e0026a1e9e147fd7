// Folder drops: programs on this machine, or on others through a shared file system, write into an inbox; files that are complete are taken into
// the spool (submit-and-poll.md, step 1, 'Folder'). Reported changes bring a visit at once; rounds over all folders find the others.
import type { Stats } from 'node:fs';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Intake } from '#gateway/model/intake.ts';
import type { Clock } from '#runtime/clock.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import type { Log } from '#runtime/log.ts';
import type { FileParts } from './file.ts';
import { openFileSystems } from './file-system.ts';
import { type Folder, type Inbox, openFolder, type WatchedFolder } from './folder.ts';
import { HotFolders, systemWatch, type WatchFolder } from './hot-folders.ts';
import { forgetContents } from './list.ts';
import { startRounds } from './rounds.ts';
import type { SettleSettings } from './settle.ts';
import { pausedUntilMs, type VisitParts, visit } from './visit.ts';
import { VisitTimes } from './visit-times.ts';

export interface WatchSettings extends SettleSettings {
  /** `polling`: rounds only, for folders that other machines change; file systems that are known to be shared are recognised. */
  readonly watch: 'events' | 'polling';
  /** How many folders are watched at the same time. */
  readonly watched: number;
}

interface WatchParts {
  readonly intake: Intake;
  /** Another process looks into the folders of other homes. */
  readonly inHand: Pick<HomesInHand, 'run' | 'has' | 'check'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: WatchSettings;
  readonly limits: FileParts['limits'];
  /** In place of the system's own watching. */
  readonly watchFolder?: WatchFolder;
}

const VISITS_MAX = 8;
const FILES_AT_ONCE_MAX = 32;
const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** A shared folder that had files within this time is visited every `rescan`, however many folders there are. */
const ACTIVE_MS = 10 * 60_000;

export class FolderWatcher {
  readonly #clock: Clock;
  readonly #settings: WatchSettings;
  readonly #visits: VisitTimes<Folder>;
  readonly #hot: HotFolders;
  readonly #isShared = openFileSystems();
  readonly #rounds: Disposable;
  /** By home and folder; nothing is opened by this key. */
  #folders = new Map<string, Folder>();
  #inboxes: readonly Inbox[] = [];

  constructor({ intake, inHand, clock, log, settings, limits, watchFolder = systemWatch }: WatchParts) {
    this.#clock = clock;
    this.#settings = settings;
    const parts: VisitParts = {
      intake,
      check: inHand.check,
      clock,
      log,
      settings,
      limits,
      atOnce: { files: new Semaphore(FILES_AT_ONCE_MAX), bytes: new Semaphore(FILE_BYTES_MAX) },
      count: { total: 0 },
      begun: (folder, stats, path) => this.#visitBegun(folder, stats, path),
    };
    this.#visits = new VisitTimes(clock, VISITS_MAX, async (folder) => {
      const nextMs = (await inHand.run(folder.place.home, () => visit(parts, folder))) ?? this.#whileActive(folder);
      if (nextMs !== undefined && this.#isFollowed(folder)) this.#visits.at(folder, nextMs);
    });
    const changed = (folder: Folder): void => this.#visits.at(folder, pausedUntilMs(folder, clock.now()));
    this.#hot = new HotFolders({ watched: settings.watched, watchFolder, clock, log, changed });
    this.#rounds = startRounds({
      clock,
      rescan: () => settings.rescan,
      inboxes: () => this.#inboxes,
      isOurs: ({ inbox }) => inHand.has(inbox.place.home),
      visit: (folder) => this.#visits.at(folder, clock.now()),
      failed: (error) => log.error({ event: 'watch.rounds-failed', err: error }),
    });
  }

  /** The inboxes to watch from now on, instead of those before. */
  follow(inboxes: readonly Inbox<WatchedFolder>[]): void {
    const before = this.#folders;
    this.#folders = new Map();
    const followed = (place: WatchedFolder): Folder => {
      const key = `${place.home}/${place.folder}`;
      const known = before.get(key);
      const folder = known ?? openFolder(place, this.#settings.watch === 'polling');
      if (!known || known.place.doneFile !== place.doneFile) this.#visits.at(folder, this.#clock.now());
      folder.place = place;
      this.#folders.set(key, folder);
      before.delete(key);
      return folder;
    };
    this.#inboxes = inboxes.map(({ inbox, overwrite }) => ({ inbox: followed(inbox), overwrite: followed(overwrite) }));
    for (const folder of before.values()) this.#end(folder);
  }

  /** Resolves when no file is being taken any more. */
  async close(): Promise<void> {
    this.#rounds[Symbol.dispose]();
    await this.#visits.close();
    for (const folder of this.#folders.values()) this.#end(folder);
  }

  #isFollowed(folder: Folder): boolean {
    return this.#folders.get(`${folder.place.home}/${folder.place.folder}`) === folder;
  }

  async #visitBegun(folder: Folder, stats: Stats, path: Buffer): Promise<void> {
    folder.shared = this.#settings.watch === 'polling' || (await this.#isShared(path, stats.dev));
    const isInUse = folder.contents !== null || (folder.listing !== null && folder.listing.mtimeMs !== stats.mtimeMs);
    if (folder.shared) this.#hot.drop(folder);
    else if (this.#isFollowed(folder)) this.#hot.visited(folder, stats, path, isInUse);
  }

  /** Changes in a shared folder are not reported, so it is visited again soon while files come. */
  #whileActive(folder: Folder): number | undefined {
    const now = this.#clock.now();
    if (!folder.shared) return undefined;
    if (folder.contents) folder.activeUntilMs = now + ACTIVE_MS;
    return now < folder.activeUntilMs ? now + this.#settings.rescan : undefined;
  }

  #end(folder: Folder): void {
    this.#visits.remove(folder);
    this.#hot.drop(folder);
    forgetContents(folder);
  }
}
