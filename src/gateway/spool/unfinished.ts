// Uploads that a start finds uncommitted: broken ones, and those that wait for their real name.
import { existsSync, statSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Living, livingOf } from '#gateway/disk/incarnation.ts';
import { receivingFolder } from '#gateway/disk/paths.ts';
import { readReceiving } from '#gateway/disk/spool-files.ts';
import { INBOX_FOLDERS } from '#gateway/model/intake.ts';
import { ensureFolder, type FolderSync } from '#runtime/files/durable.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { Seen } from './view.ts';

const PLACES = ['inbox', ...INBOX_FOLDERS] as const;

export interface UnfinishedParts extends Living {
  readonly incarnation: string;
  readonly folders: FolderSync;
}

/** Takes over what incarnations that have ended have left, into our folder. The oldest first. */
export async function takeOverUnfinished(parts: UnfinishedParts): Promise<Seen[]> {
  const { data, incarnation, folders } = parts;
  const ours = ensureFolder(receivingFolder(data, incarnation));
  const found = readReceiving(data);
  const living = await livingOf(parts);
  const unfinished: Seen[] = [];
  for (const file of found) {
    if (living.has(file.incarnation)) continue;
    const path = join(ours, basename(file.path));
    // A node that was stopped may still write into what it had open, before it notices that it has ended.
    const isWritten = parts.living !== undefined && file.state !== 'w';
    await (isWritten ? copyOver(file.path, path) : rename(file.path, path)).catch(unlessTaken);
    const seen = existsSync(path) ? unfinishedOf({ ...file, path }) : undefined;
    if (seen) unfinished.push(seen);
  }
  // A file that was closed under a temporary name was answered OK: its new place must last before its old folder goes.
  if (unfinished.length > 0) await folders.sync(ours);
  return unfinished.sort((a, b) => a.mtimeMs - b.mtimeMs);
}

async function copyOver(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await rm(from, { force: true });
}

/** Another node was faster. */
function unlessTaken(error: unknown): void {
  if (systemCode(error) !== 'ENOENT') throw error;
}

function unfinishedOf(file: ReturnType<typeof readReceiving>[number]): Seen | undefined {
  const { upload: id, home, login, name, path } = file;
  const folder = PLACES.find((each) => each === file.folder);
  if (!folder) return undefined;
  const { size, mtimeMs } = statSync(path);
  const state = file.state === 'w' ? 'waiting' : 'broken';
  return { home, folder, name, login, session: null, id, path, state, size, mtimeMs };
}
