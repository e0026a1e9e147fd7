// Files that have been renamed into homes, until it is certain that they stay: folder fsyncs and the notes in the ledger are made for many
// together, a moment later. Until then each counts as owed, and after a crash its staged file shows whether it was published.
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

interface ConfirmParts {
  readonly folders: FolderSync;
  readonly clock: Clock;
  /** The files are durable. */
  readonly confirmed: (publications: readonly number[]) => Promise<void>;
  /** It is not known whether they are. */
  readonly failed: (publications: readonly number[], error: unknown) => void;
}

export class Confirmer {
  readonly #parts: ConfirmParts;
  #waiting: Placed[] = [];
  #patience: Disposable | null = null;
  readonly #underWay = new Set<Promise<void>>();

  constructor(parts: ConfirmParts) {
    this.#parts = parts;
  }

  /** These files have their final names; `confirmed` or `failed` is called for each, once. */
  add(placed: readonly Placed[]): void {
    if (placed.length === 0) return;
    this.#waiting.push(...placed);
    this.#patience ??= this.#parts.clock.after(PATIENCE_MS, () => this.#confirmAll());
  }

  /** Confirms at once what waits. */
  async settle(): Promise<void> {
    this.#confirmAll();
    await Promise.all(this.#underWay);
  }

  #confirmAll(): void {
    this.#patience?.[Symbol.dispose]();
    this.#patience = null;
    const byFolder = [...Map.groupBy(this.#waiting, ({ home, folder }) => `${home}/${folder}`).values()];
    this.#waiting = [];
    const work = this.#confirm(byFolder).finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  async #confirm(byFolder: readonly (readonly Placed[])[]): Promise<void> {
    const synced = await Promise.all(byFolder.map((placed) => this.#sync(placed)));
    const publications = synced.flat();
    if (publications.length > 0) await this.#parts.confirmed(publications);
  }

  async #sync(placed: readonly Placed[]): Promise<number[]> {
    const publications = placed.map(({ publication }) => publication);
    const [first] = placed;
    try {
      if (first) await this.#parts.folders.sync(first.home, [first.folder]);
      return publications;
    } catch (error) {
      this.#parts.failed(publications, error);
      return [];
    }
  }
}
