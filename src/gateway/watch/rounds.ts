// Rounds over all folders: each is looked at again and again, at a limited pace however many there are.
import type { Stats } from 'node:fs';
import { type Clock, every } from '#runtime/clock.ts';
import { statElsewhere, statHere } from './file-system.ts';
import { type Folder, mustList } from './folder.ts';

const TICK_MS = 1_000;
/** Looks in a tick; fewer at folders for which the network may be asked. */
const LOOKS_MAX = 500;
const SHARED_LOOKS_MAX = 100;
/** Looks without a turn of the event loop between them. */
const LOOKS_PER_TURN = 50;

export interface RoundsParts {
  readonly clock: Clock;
  /** How often each folder is looked at, unless there are too many. */
  readonly rescan: () => number;
  readonly folders: () => readonly Folder[];
  /** Names may have come, or the look has failed. */
  readonly visit: (folder: Folder) => void;
  readonly failed: (error: unknown) => void;
}

export function startRounds({ clock, rescan, folders, visit, failed }: RoundsParts): Disposable {
  let next = 0;
  let owed = 0;

  async function lookElsewhere(folder: Folder): Promise<void> {
    try {
      judge(folder, await statElsewhere(folder));
    } catch {
      // The visit logs the error.
      visit(folder);
    }
  }

  /** Without a promise, which would take as long as the look. */
  function lookHere(folder: Folder): void {
    try {
      judge(folder, statHere(folder));
    } catch {
      visit(folder);
    }
  }

  function judge(folder: Folder, stats: Stats | null): void {
    if (!stats || mustList(folder, stats, clock.now())) visit(folder);
  }

  async function tick(): Promise<void> {
    const all = folders();
    owed = Math.min(owed + (all.length * TICK_MS) / rescan(), all.length, LOOKS_MAX);
    for (let looks = 0, shared = 0; owed >= 1 && shared < SHARED_LOOKS_MAX; owed--) {
      if (next >= all.length) next = 0;
      const folder = all[next++];
      if (!folder) return;
      if (folder.shared) {
        await lookElsewhere(folder);
        shared++;
      } else lookHere(folder);
      if (++looks % LOOKS_PER_TURN === 0) await new Promise((turn) => setImmediate(turn));
    }
  }

  return every(clock, TICK_MS, tick, failed);
}
