// Publishing: how receipts, received documents and finished originals get into a home, once. Bytes are staged and fsynced, a ledger
// row names the staged and the final file, the staged file is renamed; a moment later the folder is fsynced and the row marked (settle.ts).
// 'The staged file is there' means 'not yet published': a crash neither forgets nor repeats.
import { AppError } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import type { Queue } from '#engines/queue.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { markWritten, type Publication, readOwed } from '#gateway/ledger/publications.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import type { Clock } from '#runtime/clock.ts';
import type { FolderSync } from '#runtime/files/durable.ts';
import type { Log } from '#runtime/log.ts';
import { openSettling, type Placed } from './confirm.ts';
import { moveIn } from './move.ts';
import { discardStaged, openStaging, sweepStaged } from './staging.ts';

const TRY_AGAIN_MS = 30_000;
const TELL_EVERY_MS = 60 * 60_000;
/** Rows of one commit. */
const NOTES_AT_ONCE = 500;

export interface PublishParts {
  readonly data: string;
  readonly ledger: Ledger;
  readonly folders: FolderSync;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Writes what is owed; null stands for what was decided before. */
type Decide = (rows: Rows, staged: string) => Promise<(Publication | null)[]>;

/**
 * Lets `decide` write in one commit what is owed, and publishes that. Resolves with what was decided: nothing, when it was decided before.
 * Throws `storage`-like errors of disk and ledger; then nothing is left.
 */
type Hand = (decide: Decide) => Promise<Publication[]>;

export interface Publisher {
  /** Stages the bytes durably; they wait to be handed, once. For several that are to share a commit: it takes those that are handed together. */
  stage(home: string, bytes: Uint8Array): Promise<Hand>;
  /** Both in one. */
  hand(home: string, bytes: Uint8Array, decide: Decide): Promise<Publication[]>;
  /** At start: publishes what is owed, and removes staged files that no row names. */
  recover(): Promise<void>;
}

export interface OpenPublisher extends Publisher {
  /** Makes certain of what was published. */
  close(): Promise<void>;
}

export function openPublisher(parts: PublishParts): OpenPublisher {
  const { data, ledger, folders, queue, clock, log } = parts;

  const settling = openSettling({ folders, clock, settled: mark, failed: unsettled });
  const staging = openStaging(parts);
  /** Folders in whose place something else stands, and when that was told. */
  const closed = new Map<string, number>();

  async function place(owed: Publication): Promise<Placed> {
    const { publication, home, folder } = owed;
    if ((await moveIn(data, owed)) === 'copied') staging.apart(home);
    closed.delete(`${home}/${folder}`);
    return { publication, home: homeFolder(data, home), folder };
  }

  /** Where a link keeps files out somebody must look, and is told once an hour for each folder, however many files wait. */
  function postponed({ home, folder, name }: Publication, error: unknown): void {
    const facts = { home, folder, file: name, err: error };
    if (!(error instanceof AppError && error.code === 'name')) {
      log.warn({ event: 'publish.postponed', ...facts });
      return;
    }
    const now = clock.now();
    const toldMs = closed.get(`${home}/${folder}`);
    if (toldMs !== undefined && now - toldMs < TELL_EVERY_MS) return;
    closed.set(`${home}/${folder}`, now);
    log.error({
      event: 'publish.kept-out',
      remedy: `make ${folder} in this home a folder again; what is owed is published then`,
      ...facts,
    });
  }

  /** What fails stays owed and is tried again; never throws. */
  async function publish(owed: readonly Publication[]): Promise<void> {
    const placed = await Promise.all(
      owed.map(async (each) => {
        try {
          return [await place(each)];
        } catch (error) {
          postponed(each, error);
          queue.ring('publish', String(each.publication), clock.now() + TRY_AGAIN_MS);
          return [];
        }
      }),
    );
    settling.add(placed.flat());
  }

  function unsettled(publications: readonly number[], error: unknown): void {
    log.warn({ event: 'publish.unsettled', publications: publications.length, err: error });
    for (const publication of publications) queue.ring('publish', String(publication), clock.now() + TRY_AGAIN_MS);
  }

  /** A note for the next start, which would find the staged file gone and make it then. */
  async function mark(written: readonly number[]): Promise<void> {
    try {
      for (let at = 0; at < written.length; at += NOTES_AT_ONCE) {
        await ledger.write((rows) => markWritten(rows, written.slice(at, at + NOTES_AT_ONCE), clock.now()));
      }
    } catch (error) {
      unsettled(written, error);
    }
  }

  queue.answer('publish', 1, async (publication) => {
    await publish(await readOwed(ledger.read, Number(publication)));
  });

  async function stage(home: string, bytes: Uint8Array): Promise<Hand> {
    // The row will mean 'this file is there', so the name must be as durable as the bytes.
    const staged = await staging.write(home, bytes);
    return async (decide) => {
      let decided: Publication[] = [];
      try {
        decided = (await ledger.write((rows) => decide(rows, staged))).filter((each) => each !== null);
      } finally {
        if (!decided.some((each) => each.staged === staged)) discardStaged(data, staged);
      }
      await publish(decided);
      return decided;
    };
  }

  return {
    stage,
    hand: async (home, bytes, decide) => (await stage(home, bytes))(decide),
    async recover() {
      await staging.clear();
      const owed = await readOwed(ledger.read);
      await publish(owed);
      sweepStaged(
        data,
        owed.map(({ staged }) => staged),
      );
    },
    async close() {
      await settling.close();
      await staging.clear();
    },
  };
}
