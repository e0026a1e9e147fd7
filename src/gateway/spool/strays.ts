// Files in the spool that no open row names: a crash, or an older ledger, has left them, or a process that lives is writing their rows.
import { existsSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { inGroups } from '#domain/groups.ts';
import type { Queue } from '#engines/queue.ts';
import { type Digested, openDigester, readSpool, type SpoolFile, spooledPath } from '#gateway/disk/spool-files.ts';
import { insertItem, type NewItem, readItems, reviveItem } from '#gateway/ledger/items.ts';
import { oweOriginal } from '#gateway/ledger/publications.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { type HomesInHand, homesInGroups } from '#gateway/model/homes.ts';
import type { Item } from '#gateway/model/item.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

/** Files that share a commit, and a turn of the event loop: a tenth of a second. */
const TOGETHER = 512;
/** A process that lives has written the row of a file by then. */
const WRITTEN_MS = 60_000;
/** Homes whose folders are read in one turn of the event loop. */
const HOMES_AT_ONCE = 100;

export interface StrayParts {
  readonly data: string;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  /** Told how far it has come, where somebody looks on. */
  readonly progress?: (text: string) => void;
}

export interface Adopted {
  /** Files without a row. */
  readonly adopted: number;
  /** Files whose row says that they have ended. */
  readonly returned: number;
}

/** Gives rows to those that have none, owes their originals to those that have ended, and rings for all. */
export async function adoptStrays(parts: StrayParts, strays: readonly SpoolFile[]): Promise<Adopted> {
  const count = { adopted: 0, returned: 0 };
  let seen = 0;
  for (const some of inGroups(strays, TOGETHER)) {
    const { adopted, returned } = await adopt(parts, some);
    count.adopted += adopted;
    count.returned += returned;
    seen += some.length;
    parts.progress?.(`${seen} of ${strays.length} files without a row`);
    // A pending item is looked at then; for one that has ended nothing happens.
    for (const { item } of some) parts.queue.ring('submit', item);
  }
  return count;
}

interface LateStrayParts extends StrayParts {
  readonly inHand: Pick<HomesInHand, 'all' | 'run'>;
}

/** Files that are adopted once no process can be writing their rows any more. Dispose to leave them to the next start. */
export class LateStrays implements Disposable {
  readonly #parts: LateStrayParts;
  readonly #waiting = new Set<Disposable>();

  constructor(parts: LateStrayParts) {
    this.#parts = parts;
  }

  /** Another process has gone: what it was taking for homes that are in hand here is adopted later. */
  async look(): Promise<void> {
    const { data, ledger, inHand } = this.#parts;
    for (const homes of homesInGroups(inHand.all, HOMES_AT_ONCE)) {
      this.adoptLater(await withoutRow(ledger, readSpool(data, homes)));
      await turn();
    }
  }

  adoptLater(strays: readonly SpoolFile[]): void {
    if (strays.length === 0) return;
    const waiting = this.#parts.clock.after(WRITTEN_MS, () => {
      this.#waiting.delete(waiting);
      void this.#adopt(strays);
    });
    this.#waiting.add(waiting);
  }

  [Symbol.dispose](): void {
    for (const waiting of this.#waiting) waiting[Symbol.dispose]();
  }

  /** What is not in hand then is adopted by the process that takes it up. */
  async #adopt(strays: readonly SpoolFile[]): Promise<void> {
    const { inHand, log } = this.#parts;
    for (const [home, files] of Map.groupBy(strays, (file) => file.home)) {
      await inHand
        .run(home, () => adoptStrays(this.#parts, files))
        .catch((error: unknown) => log.error({ event: 'recover.not-adopted', home, err: error }));
    }
  }
}

async function withoutRow({ read }: Ledger, files: readonly SpoolFile[]): Promise<SpoolFile[]> {
  const left: SpoolFile[] = [];
  for (const some of inGroups(files, TOGETHER)) {
    const known = await readItems(
      read,
      some.map(({ item }) => item),
    );
    left.push(...some.filter(({ item }) => !known.has(item)));
  }
  return left;
}

/** In one commit. */
async function adopt({ data, ledger, clock, log }: StrayParts, files: readonly SpoolFile[]): Promise<Adopted> {
  const fresh: NewItem[] = [];
  const back: { readonly file: SpoolFile; readonly before: Item }[] = [];
  const known = await readItems(
    ledger.read,
    files.map(({ item }) => item),
  );
  const digest = openDigester();
  for (const file of files) {
    const before = known.get(file.item);
    const path = `${data}/${spooledPath(file)}`;
    // The process that was writing its row has done so, and the item may have ended since; or it has undone all.
    if ((before && isOpen(before)) || !existsSync(path)) continue;
    if (before) back.push({ file, before });
    else fresh.push(newItem(file, await digest(path), clock.now()));
  }
  await ledger.write([], async (rows) => {
    for (const row of fresh) await insertItem(rows, row);
    for (const { file, before } of back) {
      // Cancelled as never acknowledged: its file is here after all.
      if (!(await oweOriginal(rows, before.item, spooledPath(file))))
        await reviveItem(rows, before.item, 'cancelled', 'its file came back');
    }
  });
  for (const { item, home } of fresh) log.warn({ event: 'recover.adopted', item, home });
  for (const { item, accountRegNo, state } of back.map(({ before }) => before)) {
    log.warn({ event: 'recover.returned', item, accountRegNo, state });
  }
  return { adopted: fresh.length, returned: back.length };
}

function isOpen({ state }: Item): boolean {
  return state === 'pending' || state === 'held';
}

function newItem(file: SpoolFile, { size, mtimeMs, sha256 }: Digested, nowMs: number): NewItem {
  const { item, home, name: fileName, spoolName, mode } = file;
  const receivedAt = Math.min(Math.round(mtimeMs), nowMs);
  return { item, accountRegNo: home, home, login: null, fileName, spoolName, mode, sha256, size, receivedAt, recovered: true };
}
