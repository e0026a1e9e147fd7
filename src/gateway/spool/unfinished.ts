// Uploads that a start finds uncommitted: broken ones, and those that wait for their real name.
import { renameSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { livingIncarnations } from '#gateway/disk/incarnation.ts';
import { receivingFolder } from '#gateway/disk/paths.ts';
import { readReceiving } from '#gateway/disk/spool-files.ts';
import { INBOX_FOLDERS } from '#gateway/model/intake.ts';
import { ensureFolder, type FolderSync } from '#runtime/files/durable.ts';
import type { Seen } from './view.ts';

const PLACES = ['inbox', ...INBOX_FOLDERS] as const;

export interface UnfinishedParts {
  readonly data: string;
  readonly incarnation: string;
  readonly folders: FolderSync;
}

/** Takes over what incarnations that have ended have left, into our folder. The oldest first. */
export async function takeOverUnfinished({ data, incarnation, folders }: UnfinishedParts): Promise<Seen[]> {
  const ours = ensureFolder(receivingFolder(data, incarnation));
  const found = readReceiving(data);
  const living = livingIncarnations(data);
  const unfinished = found.flatMap((file) => {
    if (living.has(file.incarnation)) return [];
    const path = join(ours, basename(file.path));
    renameSync(file.path, path);
    return unfinishedOf({ ...file, path }) ?? [];
  });
  // A file that was closed under a temporary name was answered OK: its new place must last before its old folder goes.
  if (unfinished.length > 0) await folders.sync(ours);
  return unfinished.sort((a, b) => a.mtimeMs - b.mtimeMs);
}

function unfinishedOf(file: ReturnType<typeof readReceiving>[number]): Seen | undefined {
  const { upload: id, home, login, name, path } = file;
  const folder = PLACES.find((each) => each === file.folder);
  if (!folder) return undefined;
  const { size, mtimeMs } = statSync(path);
  const state = file.state === 'w' ? 'waiting' : 'broken';
  return { home, folder, name, login, session: null, id, path, state, size, mtimeMs };
}
