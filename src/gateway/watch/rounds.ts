// Rounds over all inboxes: each is looked at again and again, at a limited pace however many there are.
import type { Stats } from 'node:fs';
import { type Clock, every } from '#runtime/clock.ts';
import { statElsewhere, statHere } from './file-system.ts';
import { type Folder, type Inbox, mustList } from './folder.ts';

const TICK_MAX_MS = 5_000;
/** Inboxes looked at in a tick; fewer of those for which the network may be asked. */
const LOOKS_MAX = 1_250;
const SHARED_LOOKS_MAX = 250;
/** Looks without a turn of the event loop between them. */
const LOOKS_PER_TURN = 25;

interface RoundsParts {
  readonly clock: Clock;
  /** How often each is looked at, unless there are too many. */
  readonly rescan: () => number;
  readonly inboxes: () => readonly Inbox[];
  /** Whether this process looks into it: all processes together keep the pace. */
  readonly isOurs: (inbox: Inbox) => boolean;
  /** Names may have come, or the look has failed. */
  readonly visit: (folder: Folder) => void;
  readonly failed: (error: unknown) => void;
}

export function startRounds({ clock, rescan, inboxes, isOurs, visit, failed }: RoundsParts): Disposable {
  const tickMs = () => Math.min(TICK_MAX_MS, rescan());
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
  function lookHere({ inbox, overwrite }: Inbox): void {
    try {
      const stats = statHere(inbox, overwrite);
      judge(inbox, stats.outer);
      judge(overwrite, stats.inner);
    } catch {
      visit(inbox);
      visit(overwrite);
    }
  }

  function judge(folder: Folder, stats: Stats | null): void {
    if (!stats || mustList(folder, stats, clock.now())) visit(folder);
  }

  async function tick(): Promise<void> {
    const all = inboxes();
    owed = Math.min(owed + (all.length * tickMs()) / rescan(), all.length, LOOKS_MAX);
    for (let looks = 0, shared = 0; owed >= 1 && shared < SHARED_LOOKS_MAX; owed--) {
      if (next >= all.length) next = 0;
      const each = all[next++];
      if (!each) return;
      if (!isOurs(each)) continue;
      if (each.inbox.shared || each.overwrite.shared) {
        await lookElsewhere(each.inbox);
        await lookElsewhere(each.overwrite);
        shared++;
      } else lookHere(each);
      if (++looks % LOOKS_PER_TURN === 0) await new Promise((turn) => setImmediate(turn));
    }
  }

  return every(clock, tickMs, tick, failed);
}
