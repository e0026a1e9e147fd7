// Uploads that a start finds uncommitted: broken ones, and those that wait for their real name.
import { statSync } from 'node:fs';
import { readReceiving, receivingPath } from '#gateway/disk/spool-files.ts';
import type { Seen } from './view.ts';

/** The oldest first. */
export function readUnfinished(data: string): Seen[] {
  const unfinished = readReceiving(data).flatMap((file) => unfinishedOf(data, file) ?? []);
  return unfinished.sort((a, b) => a.mtimeMs - b.mtimeMs);
}

function unfinishedOf(data: string, file: ReturnType<typeof readReceiving>[number]): Seen | undefined {
  const { upload: id, home, login, name, folder } = file;
  if (folder !== 'inbox' && folder !== 'overwrite' && folder !== 'tmp') return undefined;
  const path = receivingPath(data, file);
  const { size, mtimeMs } = statSync(path);
  const state = file.state === 'w' ? 'waiting' : 'broken';
  return { home, folder, name, login, session: null, id, path, state, size, mtimeMs };
}
