// Everything that the gateway has of an account, as files that people and programs read: its rows as JSON, one object a line, its home and its archive as they are.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '#domain/amounts.ts';
import { isoTime } from '#domain/day.ts';
import { archiveFolder } from '#gateway/archive/places.ts';
import { copyHome } from '#gateway/disk/whole-home.ts';
import { readFilesOf } from '#gateway/ledger/account-data.ts';
import { readFailedUploads } from '#gateway/ledger/failed-uploads.ts';
import { readFetches } from '#gateway/ledger/fetches.ts';
import { findItemsOf, itemPages, readHistory } from '#gateway/ledger/searches.ts';
import { nameText } from '#gateway/model/file-names.ts';
import { listAccountsHere } from './account-rules.ts';
import type { Administration } from './administration.ts';

type Progress = (text: string) => void;

export interface ExportedHere {
  readonly items: number;
  readonly received: number;
}

/** Null where it has no home here. `account.json`, `sent.jsonl`, `received.jsonl`, `fetched.jsonl`, `failed.jsonl`, and the folders `home/` and `archive/`. */
export async function exportHere(
  on: Administration,
  accountRegNo: string,
  folder: string,
  progress: Progress,
): Promise<ExportedHere | null> {
  const { ledger, data } = on;
  const account = (await listAccountsHere(on)).find((each) => each.accountRegNo === accountRegNo);
  if (!account) return null;
  writeFileSync(join(folder, 'account.json'), `${JSON.stringify(account, null, 2)}\n`);
  const items = await exportItems(on, accountRegNo, folder, progress);
  const received = await exportFiles(on, accountRegNo, folder, progress);
  // Of a home of several accounts nobody knows whose they were to be.
  for (const { upload: _, home: __, fileName, firstAtMs, atMs, ...facts } of await readFailedUploads(ledger.read, accountRegNo)) {
    append(folder, 'failed.jsonl', { file: nameText(fileName), ...facts, firstAt: isoTime(firstAtMs), at: isoTime(atMs) });
  }
  await copyHome(data, accountRegNo, join(folder, 'home'), (files) => progress(counted(files, 'file of its home', 'files of its home')));
  const archive = archiveFolder(data, accountRegNo);
  progress('its archive');
  if (existsSync(archive)) await cp(archive, join(folder, 'archive'), { recursive: true });
  return { items, received };
}

/** What its home got, and who fetched that. Returns how many documents were received. */
async function exportFiles({ ledger }: Administration, accountRegNo: string, folder: string, progress: Progress): Promise<number> {
  let received = 0;
  for (let page = await readFilesOf(ledger.read, accountRegNo, 0); page.length > 0; ) {
    for (const { folder: to, name, subject, written_at } of page) {
      if (to !== 'outbox') continue;
      received++;
      append(folder, 'received.jsonl', { integrationId: subject, file: name, publishedAt: isoTime(written_at) });
    }
    const files = new Map(page.map((file) => [file.publication, file]));
    for (const { publication, name, firstAt, lastAt, ...facts } of await readFetches(ledger.read, [...files.keys()])) {
      const { folder: from, name: file } = files.get(publication) ?? {};
      // A file may have another name since.
      append(folder, 'fetched.jsonl', { folder: from, file, ...facts, name, firstAt: isoTime(firstAt), lastAt: isoTime(lastAt) });
    }
    progress(counted(received, 'received document'));
    page = await readFilesOf(ledger.read, accountRegNo, page.at(-1)?.publication ?? 0);
  }
  return received;
}

async function exportItems(
  { ledger: { read } }: Administration,
  accountRegNo: string,
  folder: string,
  progress: Progress,
): Promise<number> {
  let count = 0;
  for await (const items of itemPages(read, accountRegNo)) {
    for (const found of [...(await findItemsOf(read, items)).values()].flat()) {
      const { attempts, published } = await readHistory(read, found);
      const { spoolName: _, fileName, receivedAt, endedAt, nextAttemptAt: __, ...facts } = found;
      append(folder, 'sent.jsonl', {
        ...facts,
        file: nameText(fileName),
        receivedAt: isoTime(receivedAt),
        endedAt: isoTime(endedAt),
        attempts: attempts.map(({ at, ...attempt }) => ({ at: isoTime(at), ...attempt })),
        published: published.map(({ writtenAt, ...file }) => ({ ...file, writtenAt: isoTime(writtenAt) })),
      });
      count++;
    }
    progress(counted(count, 'dropped file'));
  }
  return count;
}

function append(folder: string, file: string, line: object): void {
  appendFileSync(join(folder, file), `${JSON.stringify(line)}\n`);
}
