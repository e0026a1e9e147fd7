// Publishing: how receipts, received documents and finished originals get into a home, once. Bytes are staged and fsynced, a ledger
// row names the staged and the final file, the staged file is renamed; a moment later the folder is fsynced and the row marked (confirm.ts).
// 'The staged file is there' means 'not yet published': a crash neither forgets nor repeats.

import { AppError } from '#domain/error.ts';
import { inGroups } from '#domain/groups.ts';
import type { Random } from '#domain/id.ts';
import type { Queue } from '#engines/queue.ts';
import type { Living } from '#gateway/disk/incarnation.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { markWritten, type Publication, readOwed, readOwedOne } from '#gateway/ledger/publications.ts';
import { leaveRing } from '#gateway/ledger/rings.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import { scopesOf } from '#gateway/ledger/scopes.ts';
import { ALL_HOMES, type Homes, type HomesInHand } from '#gateway/model/homes.ts';
import type { Clock } from '#runtime/clock.ts';
import type { FileBytes, FolderSync } from '#runtime/files/durable.ts';
import type { Log } from '#runtime/log.ts';
import { Confirmer, type Placed } from './confirm.ts';
import { moveIn } from './move.ts';
import { discardStaged, openStaging, type Staging, sweepStaged } from './staging.ts';

const TRY_AGAIN_MS = 30_000;
const REPORT_EVERY_MS = 60 * 60_000;
/** Rows of one commit. */
const NOTES_AT_ONCE = 500;

export interface PublishParts extends Living {
  /** In whose folder it stages. */
  readonly incarnation: string;
  readonly ledger: Ledger;
  readonly inHand: HomesInHand;
  readonly folders: FolderSync;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Writes what is owed; null stands for a file that was owed before. */
type Decide<Staged = string> = (rows: Rows, staged: Staged) => Promise<(Publication | null)[]>;

/**
 * Lets `decide` write in one commit what is owed, and publishes that. Resolves with what was decided: nothing, when it was decided before.
 * Throws `storage`-like errors of disk and ledger; then nothing is left.
 */
export type Hand<Staged = string> = (decide: Decide<Staged>) => Promise<Publication[]>;

/** Whose folders get it, and on whose behalf. */
type Owner = Pick<Publication, 'home' | 'accountRegNo'>;

export class Publisher {
  readonly #parts: PublishParts;
  readonly #confirmer: Confirmer;
  readonly #staging: Staging;
  /** Folders in whose place something else stands, and when that was reported. */
  readonly #blocked = new Map<string, number>();

  constructor(parts: PublishParts) {
    this.#parts = parts;
    this.#confirmer = new Confirmer({
      ...parts,
      confirmed: (publications) => this.#mark(publications),
      failed: (publications, error) => this.#unconfirmed(publications, error),
    });
    this.#staging = openStaging(parts);
    parts.queue.answer('publish', 1, async (publication) => {
      const owed = await readOwedOne(parts.ledger.read, Number(publication));
      if (owed) await parts.inHand.run(owed.home, () => this.#publish([owed]));
    });
  }

  /** Stages the bytes durably; they wait to be handed, once. For several that are to share a commit: it takes those that are handed together. */
  async stage(owner: Owner, bytes: Uint8Array): Promise<Hand> {
    // The row will mean 'this file is there', so the name must be as durable as the bytes.
    const staged = await this.#staging.write(owner.home, bytes);
    return (decide) => this.#hand(owner, [staged], (rows) => decide(rows, staged));
  }

  /** The same for two files that are decided together; the second is asked for when the first is there. */
  async stageBoth(owner: Owner, first: FileBytes, second: () => FileBytes): Promise<Hand<readonly [first: string, second: string]>> {
    const one = await this.#staging.write(owner.home, first);
    try {
      const staged = [one, await this.#staging.write(owner.home, second())] as const;
      return (decide) => this.#hand(owner, staged, (rows) => decide(rows, staged));
    } catch (error) {
      discardStaged(this.#parts, one);
      throw error;
    }
  }

  async #hand(owner: Owner, staged: readonly string[], decide: (rows: Rows) => Promise<(Publication | null)[]>): Promise<Publication[]> {
    const { ledger, inHand } = this.#parts;
    const { home } = owner;
    let decided: Publication[] = [];
    try {
      decided = await ledger.write(scopesOf(owner), async (rows) => {
        const publications = (await decide(rows)).filter((each) => each !== null);
        // The process that has the home in hand publishes the files if this one dies first.
        if (!inHand.has(home))
          for (const { publication } of publications) await leaveRing(rows, { home, topic: 'publish', id: String(publication) });
        return publications;
      });
    } finally {
      const used = new Set(decided.map((each) => each.staged));
      for (const each of staged) if (!used.has(each)) discardStaged(this.#parts, each);
    }
    await this.#publish(decided);
    return decided;
  }

  /** Both in one. */
  async hand(owner: Owner, bytes: Uint8Array, decide: Decide): Promise<Publication[]> {
    return (await this.stage(owner, bytes))(decide);
  }

  /** These homes are taken up: publishes what is owed to them, and removes what processes that have ended had staged for nothing. */
  async recover(homes: Homes): Promise<void> {
    const { ledger } = this.#parts;
    await this.#publish(await readOwed(ledger.read, homes));
    await sweepStaged(this.#parts, homes, async () => (await readOwed(ledger.read, ALL_HOMES)).map(({ staged }) => staged));
  }

  /** Makes certain at once of what was published. */
  async confirm(): Promise<void> {
    await this.#confirmer.settle();
  }

  /** Makes certain of what was published. */
  async close(): Promise<void> {
    await this.#confirmer.settle();
    await this.#staging.clear();
  }

  /** What fails stays owed and is tried again; never throws. */
  async #publish(owed: readonly Publication[]): Promise<void> {
    const placed = await Promise.all(
      owed.map(async (each) => {
        try {
          return [await this.#place(each)];
        } catch (error) {
          this.#postponed(each, error);
          this.#tryAgain(each.publication);
          return [];
        }
      }),
    );
    this.#confirmer.add(placed.flat());
  }

  async #place(owed: Publication): Promise<Placed> {
    const { data } = this.#parts;
    const { publication, home, folder } = owed;
    if ((await moveIn(this.#parts, owed)) === 'copied') this.#staging.apart(home);
    this.#blocked.delete(`${home}/${folder}`);
    return { publication, home: homeFolder(data, home), folder };
  }

  /** Where a link keeps files out an administrator must look: reported once an hour for each folder, however many files wait. */
  #postponed({ home, folder, name }: Publication, error: unknown): void {
    const { clock, log } = this.#parts;
    const facts = { home, folder, file: name, err: error };
    if (!(error instanceof AppError && error.code === 'name')) {
      log.warn({ event: 'publish.postponed', ...facts });
      return;
    }
    const now = clock.now();
    const reportedMs = this.#blocked.get(`${home}/${folder}`);
    if (reportedMs !== undefined && now - reportedMs < REPORT_EVERY_MS) return;
    this.#blocked.set(`${home}/${folder}`, now);
    log.error({
      event: 'publish.kept-out',
      remedy: `make ${folder} in this home a folder again; what is owed is published then`,
      ...facts,
    });
  }

  #unconfirmed(publications: readonly number[], error: unknown): void {
    this.#parts.log.warn({ event: 'publish.unconfirmed', publications: publications.length, err: error });
    for (const publication of publications) this.#tryAgain(publication);
  }

  #tryAgain(publication: number): void {
    const { queue, clock } = this.#parts;
    queue.ring('publish', String(publication), clock.now() + TRY_AGAIN_MS);
  }

  /** A note for the next start, which would find the staged file gone and make it then. */
  async #mark(written: readonly number[]): Promise<void> {
    const { ledger, clock } = this.#parts;
    try {
      for (const some of inGroups(written, NOTES_AT_ONCE)) await ledger.write([], (rows) => markWritten(rows, some, clock.now()));
    } catch (error) {
      this.#unconfirmed(written, error);
    }
  }
}
