// Publishing: how receipts, received documents and finished originals get into a home, once. Bytes are staged and fsynced, a ledger
// row names the staged and the final file, the staged file is renamed; a moment later the folder is fsynced and the row marked (settle.ts).
// 'The staged file is there' means 'not yet published': a crash neither forgets nor repeats.
import { copyFileSync, existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Random } from '#domain/id.ts';
import { base32 } from '#domain/id.ts';
import type { Queue } from '#engines/queue.ts';
import { markWritten, type Publication, readOwed } from '#gateway/ledger/publications.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import { syncBytes } from '#gateway/spool/spool.ts';
import type { Clock } from '#runtime/clock.ts';
import { ensureFolder, type FolderSync, writeDurable } from '#runtime/files.ts';
import type { Log } from '#runtime/log.ts';
import { systemCode } from '#runtime/system-code.ts';
import { commonStaging, discard, homeFolder, stagingFolder } from './home.ts';
import { openSettling, type Placed } from './settle.ts';
import { openStock } from './stock.ts';

const TRY_AGAIN_MS = 30_000;
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

  const finalPath = (owed: Publication): string => join(homeFolder(data, owed.home), owed.folder, owed.name);

  const settling = openSettling({ folders, clock, settled: mark, failed: unsettled });
  const staging = openStaging(parts);

  async function place(owed: Publication): Promise<Placed> {
    const from = join(data, owed.staged);
    const path = finalPath(owed);
    const moved = await move(from, path, stagingFolder(data, owed.home));
    if (moved === 'copied') staging.apart(owed.home);
    return { publication: owed.publication, path };
  }

  /** What fails stays owed and is tried again; never throws. */
  async function publish(owed: readonly Publication[]): Promise<void> {
    const placed = await Promise.all(
      owed.map(async (each) => {
        try {
          return [await place(each)];
        } catch (error) {
          log.warn({ event: 'publish.postponed', home: each.home, folder: each.folder, file: each.name, err: error });
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
    const path = await staging.write(home, bytes);
    const staged = relative(data, path);
    return async (decide) => {
      let decided: Publication[] = [];
      try {
        decided = (await ledger.write((rows) => decide(rows, staged))).filter((each) => each !== null);
      } finally {
        if (!decided.some((each) => each.staged === staged)) discard(path);
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
      const named = new Set(owed.map((each) => basename(each.staged)));
      // All homes that there are, those of accounts that are not served now as well.
      const homes = readdirSync(ensureFolder(data, 'homes'));
      for (const folder of [commonStaging(data), ...homes.map((home) => stagingFolder(data, home))]) {
        if (!existsSync(folder)) continue;
        for (const file of readdirSync(folder)) if (!named.has(file)) discard(join(folder, file));
      }
    },
    async close() {
      await settling.close();
      await staging.clear();
    },
  };
}

interface Staging {
  /** Writes a new file durably, name and bytes, from where it can be renamed into the home; resolves with its path. */
  write(home: string, bytes: Uint8Array): Promise<string>;
  /** A rename into the home has failed because it lies on another file system. */
  apart(home: string): void;
  /** Removes what nobody has asked for. */
  clear(): Promise<void>;
}

/** One folder for all, whose fsyncs all share, but for homes on another file system. */
function openStaging({ data, folders, random }: PublishParts): Staging {
  const common = ensureFolder(commonStaging(data));
  const { dev } = statSync(common);
  const stock = openStock(common, { folders, random });
  const known = new Map<string, 'common' | 'apart'>();
  const look = (home: string): 'common' | 'apart' =>
    (statSync(homeFolder(data, home), { throwIfNoEntry: false })?.dev ?? dev) === dev ? 'common' : 'apart';
  return {
    async write(home, bytes) {
      const place = known.get(home) ?? look(home);
      known.set(home, place);
      if (place === 'common') return stock.write(bytes);
      const path = join(stagingFolder(data, home), base32(random(15)));
      await writeDurable(path, bytes, { folders });
      return path;
    },
    // A folder of the same disk that is mounted by itself: only a rename tells.
    apart: (home) => void known.set(home, 'apart'),
    clear: () => stock.clear(),
  };
}

/** Renames; where spool and home lie on two file systems, copies durably first, which repeats harmlessly after a crash. */
async function move(from: string, to: string, staging: string): Promise<'renamed' | 'copied' | 'gone'> {
  try {
    renameSync(from, to);
    return 'renamed';
  } catch (error) {
    const code = systemCode(error);
    // The same is said of a folder that is missing: only that there is no such file means that it was published.
    if (code === 'ENOENT' && !existsSync(from)) return 'gone';
    if (code !== 'EXDEV') throw error;
    const copy = join(staging, `${basename(from)}.copy`);
    copyFileSync(from, copy);
    await syncBytes(copy);
    renameSync(copy, to);
    discard(from);
    return 'copied';
  }
}
