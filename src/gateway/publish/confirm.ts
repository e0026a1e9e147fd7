// Files that have been renamed into homes, until it is certain that they stay: folder fsyncs and the notes in the ledger are made for many
// together, a moment later. Until then each counts as owed, and after a crash its staged file tells whether it was published.
import type { Clock } from '#runtime/clock.ts';
import type { FolderSync } from '#runtime/files/durable.ts';

/** Long enough for many files of a busy home, short enough that a power loss undoes little. */
const PATIENCE_MS = 2_000;

export interface Placed {
  readonly publication: number;
  /** The home's path, and its folder. */
  readonly home: string;
  readonly folder: string;
}

export interface Settling {
  /** These files have their final names; what becomes of them is told to `settled` and `failed`. */
  add(placed: readonly Placed[]): void;
  /** Settles at once what waits. */
  close(): Promise<void>;
}

export interface SettleParts {
  readonly folders: FolderSync;
  readonly clock: Clock;
  /** The files are durable. */
  readonly settled: (publications: readonly number[]) => Promise<void>;
  /** It is not known whether they are. */
  readonly failed: (publications: readonly number[], error: unknown) => void;
}

export function openSettling({ folders, clock, settled, failed }: SettleParts): Settling {
  let waiting: Placed[] = [];
  let patience: Disposable | null = null;
  const settling = new Set<Promise<void>>();

  function settleAll(): void {
    patience?.[Symbol.dispose]();
    patience = null;
    const byFolder = [...Map.groupBy(waiting, ({ home, folder }) => `${home}/${folder}`).values()];
    waiting = [];
    const work = settle(byFolder).finally(() => settling.delete(work));
    settling.add(work);
  }

  async function settle(byFolder: readonly (readonly Placed[])[]): Promise<void> {
    const synced = await Promise.all(byFolder.map(sync));
    const publications = synced.flat();
    if (publications.length > 0) await settled(publications);
  }

  async function sync(placed: readonly Placed[]): Promise<number[]> {
    const publications = placed.map(({ publication }) => publication);
    const [first] = placed;
    try {
      if (first) await folders.sync(first.home, [first.folder]);
      return publications;
    } catch (error) {
      failed(publications, error);
      return [];
    }
  }

  return {
    add(placed) {
      if (placed.length === 0) return;
      waiting.push(...placed);
      patience ??= clock.after(PATIENCE_MS, settleAll);
    },
    async close() {
      settleAll();
      await Promise.all(settling);
    },
  };
}
