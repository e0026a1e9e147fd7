// A watcher of folders with an intake that only moves files away and remembers them; or any other intake.
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DoneFile } from '#gateway/model/done-file.ts';
import { HomesInHand } from '#gateway/model/homes.ts';
import type { ByteName, DropFolder, FoundFile, Intake, Taken } from '#gateway/model/intake.ts';
import type { WatchFolder } from '#gateway/watch/hot-folders.ts';
import { FolderWatcher, type WatchSettings } from '#gateway/watch/watch.ts';
import type { Clock } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { calm } from './calm.ts';
import { manualClock } from './clock.ts';
import { until } from './until.ts';

export const WATCH_SETTINGS: WatchSettings = {
  watch: 'events',
  watched: 200,
  settle: 5_000,
  rescan: 10_000,
  incomplete: 600_000,
};

export interface TakenFile extends DropFolder {
  readonly name: ByteName;
  readonly found: FoundFile | undefined;
}

export interface DropStage extends AsyncDisposable {
  readonly clock: ReturnType<typeof manualClock>;
  readonly log: string[];
  readonly taken: TakenFile[];
  readonly watcher: FolderWatcher;
  /** The path of a file in a home's inbox, or of the inbox. */
  inbox(name?: string, home?: string): string;
  /** How often something was logged. */
  logged(event: string): number;
  /** Lets the clock pass, a second at a time, until the condition holds. */
  passing(what: string, condition: () => unknown): Promise<void>;
  /** Lets so much of the clock pass, with time to work in between. */
  pass(ms: number): Promise<void>;
  /** Serves these homes from now on. */
  serve(homes: readonly string[], doneFile?: DoneFile | null): void;
}

export interface DropStageOptions {
  readonly homes?: readonly string[];
  readonly settings?: Partial<WatchSettings>;
  readonly watchFolder?: WatchFolder;
  readonly doneFile?: DoneFile;
  readonly clock?: Clock;
  readonly inHand?: HomesInHand;
  /** Runs before a file is moved away; what it throws is the intake's answer. */
  readonly beforeTake?: (file: TakenFile, path: string | Buffer) => void | Promise<void>;
}

export function startDropStage(options: DropStageOptions = {}): DropStage {
  const root = mkdtempSync(join(tmpdir(), 'dropgate-drop-'));
  const clock = manualClock();
  const log: string[] = [];
  const taken: TakenFile[] = [];
  mkdirSync(join(root, 'taken'));

  const nothing = (): Promise<never> => Promise.reject(new Error('not part of this stage'));
  const intake: Intake = {
    open: nothing,
    grow: nothing,
    commit: nothing,
    abandon: nothing,
    cancel: nothing,
    view: nothing,
    find: nothing,
    where: nothing,
    touch: nothing,
    rename: nothing,
    remove: nothing,
    resend: nothing,
    leave: () => {},
    async take(place, name, path, found): Promise<Taken> {
      const file = { home: place.home, folder: place.folder, name, found };
      await options.beforeTake?.(file, path);
      renameSync(path, join(root, 'taken', String(taken.length)));
      taken.push(file);
      return { state: 'taken', item: name };
    },
    reclaim: async () => {},
  };

  const inbox = (name = '', home = 'acme-ab'): string => join(root, 'homes', home, 'inbox', name);
  const watcher = new FolderWatcher({
    intake,
    inHand: options.inHand ?? new HomesInHand(),
    clock: options.clock ?? clock,
    log: openLog('info', { write: (line) => void log.push(line) }),
    settings: { ...WATCH_SETTINGS, ...options.settings },
    limits: { fileMax: 20 * 2 ** 20 },
    ...(options.watchFolder && { watchFolder: options.watchFolder }),
  });
  function serve(homes: readonly string[], doneFile: DoneFile | null = options.doneFile ?? null): void {
    for (const home of homes) mkdirSync(inbox('overwrite', home), { recursive: true });
    watcher.follow(
      homes.map((home) => ({
        inbox: { home, folder: 'inbox', root: join(root, 'homes', home), components: ['inbox'], doneFile },
        overwrite: { home, folder: 'overwrite', root: join(root, 'homes', home), components: ['inbox', 'overwrite'], doneFile },
      })),
    );
  }
  serve(options.homes ?? ['acme-ab']);

  async function passing(what: string, condition: () => unknown): Promise<void> {
    await until(what, () => {
      clock.advance(1_000);
      return condition();
    });
  }
  return {
    clock,
    log,
    taken,
    watcher,
    inbox,
    serve,
    logged: (event) => log.filter((line) => line.includes(`"event":"${event}"`)).length,
    passing,
    async pass(ms) {
      for (const endMs = clock.now() + ms; clock.now() < endMs; await calm()) clock.advance(5_000);
    },
    async [Symbol.asyncDispose]() {
      await watcher.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
