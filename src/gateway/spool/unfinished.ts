// Uploads that were not committed and lie in `receiving/`: broken ones, those that wait for their real name, and those that are being written. What an ended
// process has left is taken over, and what another node has is brought here when its client comes here.
import { existsSync, mkdirSync } from 'node:fs';
import { copyFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Living, livingOf } from '#gateway/disk/incarnation.ts';
import { arrivingFolder, discard, receivingFolder } from '#gateway/disk/paths.ts';
import { type ArrivingUpload, readArriving, readReceiving, readSpoolOf, receivingNameIn } from '#gateway/disk/spool-files.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { INBOX_FOLDERS } from '#gateway/model/intake.ts';
import { forEachLimit, KeyedMutex } from '#runtime/concurrency.ts';
import { ensureFolder, type FolderSync } from '#runtime/files/durable.ts';
import { wasRenamed } from '#runtime/files/rename.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { Seen } from './view.ts';

/** Folders that are removed at the same time. */
const REMOVED_AT_ONCE = 32;

const PLACES = ['inbox', ...INBOX_FOLDERS] as const;

export interface UnfinishedParts extends Living {
  readonly incarnation: string;
  readonly inHand: Pick<HomesInHand, 'check'>;
  readonly folders: FolderSync;
}

export class Unfinished {
  readonly #parts: UnfinishedParts;
  /** By upload: a takeover and several sessions may come for one at once. */
  readonly #bringing = new KeyedMutex();
  /** Homes that have a folder of ours. */
  readonly #homes = new Set<string>();

  constructor(parts: UnfinishedParts) {
    this.#parts = parts;
  }

  /** Makes our folder for the uploads of a home, durably: what is closed in it under a temporary name is answered OK. It is there until we end, or the account is erased. */
  async makeFolder(home: string): Promise<void> {
    const { data, incarnation, folders } = this.#parts;
    const folder = arrivingFolder(data, incarnation, home);
    // An account that was erased, and is back, has none any more.
    if (this.#homes.has(home) && existsSync(folder)) return;
    try {
      mkdirSync(folder, { mode: 0o750 });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    await folders.sync(receivingFolder(data, incarnation));
    this.#homes.add(home);
  }

  /**
   * Takes over what incarnations that have ended have left, into our folder, which is made: tells of each as it comes, the oldest first. Throws in the end what
   * kept it from bringing one.
   */
  async *takeOver(): AsyncGenerator<Seen> {
    const { data, incarnation } = this.#parts;
    ensureFolder(receivingFolder(data, incarnation));
    const others = (await readArriving(data)).filter((each) => each !== incarnation);
    const living = await livingOf(this.#parts);
    const left = await Promise.all(others.filter((each) => !living.has(each)).map((ended) => readReceiving(data, ended)));
    const uploads = await seenOf(left.flatMap(({ uploads }) => uploads));
    const isItem = spooledItems(data);
    let failure: unknown;
    for (const same of Map.groupBy(uploads, ({ id }) => id).values()) {
      try {
        const best = same.filter((each) => !isItem(each)).sort(wholeFirst)[0];
        const ours = best && (await this.bring(best.state === 'open' ? { ...best, state: 'broken' } : best));
        if (ours) yield ours;
        for (const each of same) if (each !== best) this.#remove(each);
      } catch (error) {
        failure ??= error;
      }
    }
    await this.#removeEmpty(left.flatMap(({ folders }) => folders));
    if (failure !== undefined) throw failure;
  }

  /** Of an upload that moved while a backup was made, the backup has another copy. */
  #remove({ path }: Seen): void {
    this.#parts.inHand.check();
    discard(path);
  }

  /** Brings an upload that is broken, or waits, into our folder. Undefined where it is there no longer: another node, or another session, was faster. */
  bring(seen: Seen): Promise<Seen | undefined> {
    return this.#bringing.run(seen.id, async () => {
      await this.makeFolder(seen.home);
      return bring(this.#parts, seen);
    });
  }

  /** What cannot be removed, for a file is in it still, is there when it is looked again. */
  async #removeEmpty(folders: readonly string[]): Promise<void> {
    await forEachLimit(folders, REMOVED_AT_ONCE, async (folder) => {
      this.#parts.inHand.check();
      await rmdir(folder).catch(() => undefined);
    });
  }
}

/** Whether an upload lies in the spool as well: it was taken, and is the item of its id. */
function spooledItems(data: string): (seen: Seen) => boolean {
  const items = new Map<string, ReadonlySet<string>>();
  return ({ home, id }) => {
    const ofHome = items.get(home) ?? new Set(readSpoolOf(data, home).map(({ item }) => item));
    items.set(home, ofHome);
    return ofHome.has(id);
  };
}

/** One that was closed is whole; of the others the longest has the most. */
function wholeFirst(one: Seen, other: Seen): number {
  return Number(other.state === 'waiting') - Number(one.state === 'waiting') || other.size - one.size;
}

async function bring({ data, incarnation, inHand, living, folders }: UnfinishedParts, seen: Seen): Promise<Seen | undefined> {
  const ours = arrivingFolder(data, incarnation, seen.home);
  const path = join(ours, receivingNameIn(basename(seen.path), seen.state === 'waiting' ? 'waiting' : 'broken'));
  // A node that was stopped may still write into what it had open, before it notices that its client, or itself, has ended.
  const isWritten = living !== undefined && seen.state !== 'waiting';
  inHand.check();
  try {
    await (isWritten ? copyOver(seen.path, path, inHand) : moveOver(seen.path, path));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  // A file that was closed under a temporary name was answered OK: its new place must last before its old folder goes.
  await folders.sync(ours);
  return { ...seen, path };
}

async function moveOver(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!wasRenamed(error, from, to)) throw error;
  }
}

async function copyOver(from: string, to: string, inHand: UnfinishedParts['inHand']): Promise<void> {
  await copyFile(from, to);
  inHand.check();
  try {
    await rm(from);
  } catch (error) {
    inHand.check();
    // Its client goes on with it there.
    discard(to);
    throw error;
  }
}

/** As they are in sight, the oldest first. What has gone meanwhile is left out. */
export async function seenOf(uploads: readonly ArrivingUpload[]): Promise<Seen[]> {
  const seen = await Promise.all(uploads.map(seenAt));
  return seen.filter((each) => each !== undefined).sort((a, b) => a.mtimeMs - b.mtimeMs);
}

async function seenAt({ upload: id, home, login, name, path, state, ...file }: ArrivingUpload): Promise<Seen | undefined> {
  const folder = PLACES.find((each) => each === file.folder);
  const found = folder && (await stat(path).catch(() => undefined));
  return found && { home, folder, name, login, session: null, id, path, state, size: found.size, mtimeMs: found.mtimeMs };
}
