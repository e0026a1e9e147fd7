// Everything that the gateway has of an account, as files that people and programs read: its rows as JSON, one object a line, its home and its archive as they are.
import { existsSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '#domain/amounts.ts';
import { isoTime, isoTimes } from '#domain/day.ts';
import { FAMILY_NAMES } from '#domain/family.ts';
import { archiveFolder } from '#gateway/archive/places.ts';
import { spoolFolder } from '#gateway/disk/paths.ts';
import { copyFile, copyHome } from '#gateway/disk/whole-home.ts';
import { readFilesOf } from '#gateway/ledger/account-data.ts';
import { readFailedUploads } from '#gateway/ledger/failed-uploads.ts';
import { readFetches } from '#gateway/ledger/fetches.ts';
import { type FoundDocument, readReceivedAfter } from '#gateway/ledger/find.ts';
import { type FoundItem, findItemsOf, itemPages, type PublishedFile, readFiles, readHistory } from '#gateway/ledger/searches.ts';
import { nameText, originalName } from '#gateway/model/file-names.ts';
import { ensureFolder } from '#runtime/files/durable.ts';
import { appendLine } from '#runtime/files/json-lines.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import { nullIf } from '#runtime/files/system-code.ts';
import { listAccountsHere } from './account-rules.ts';
import type { Administration } from './administration.ts';

type Progress = (text: string) => void;

interface ExportedHere {
  readonly items: number;
  readonly received: number;
}

const PAGE = 50;
/** Below the export: files that are dropped, and have not ended. */
const UNFINISHED = 'unfinished';

/**
 * Null where it has no home here. `account.json`, `sent.jsonl`, `received.jsonl`, `fetched.jsonl`, `failed.jsonl`, and the folders `unfinished/`, `home/` and
 * `archive/`.
 */
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
  // Before its home: what ends meanwhile moves there.
  const items = await exportItems(on, accountRegNo, folder, progress);
  const received = await exportReceived(on, accountRegNo, folder, progress);
  await exportFetches(on, accountRegNo, folder);
  // Of a home of several accounts nobody knows whose they were to be.
  for (const { upload: _, home: __, fileName, firstAtMs, atMs, ...facts } of await readFailedUploads(ledger.read, accountRegNo)) {
    appendLine(folder, 'failed.jsonl', { file: nameText(fileName), ...facts, firstAt: isoTime(firstAtMs), at: isoTime(atMs) });
  }
  await copyHome(data, accountRegNo, join(folder, 'home'), (files) => progress(counted(files, 'file of its home', 'files of its home')));
  const archive = archiveFolder(data, accountRegNo);
  progress('its archive');
  if (existsSync(archive)) await cp(archive, join(folder, 'archive'), { recursive: true });
  return { items, received };
}

/** Returns how many documents were received for it, in an outbox or not any more. */
async function exportReceived(
  { ledger: { read } }: Administration,
  accountRegNo: string,
  folder: string,
  progress: Progress,
): Promise<number> {
  let count = 0;
  for (const family of FAMILY_NAMES) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: readonly FoundDocument[] = await readReceivedAfter(read, { accountRegNo, family }, after, PAGE);
      for (const { sequence: _, accountRegNo: __, receivedAt, markedAt, ...facts } of page) {
        const { published } = await readFiles(read, [accountRegNo], facts.integrationId);
        const at = { receivedAt: isoTime(receivedAt), markedAt: isoTime(markedAt) };
        appendLine(folder, 'received.jsonl', { ...facts, ...at, published: published.map(publishedLine) });
      }
      count += page.length;
      progress(counted(count, 'received document'));
      after = page.at(-1)?.sequence;
    }
  }
  return count;
}

/** Who fetched what its home got. */
async function exportFetches({ ledger: { read } }: Administration, accountRegNo: string, folder: string): Promise<void> {
  for (let page = await readFilesOf(read, accountRegNo, 0); page.length > 0; ) {
    const files = new Map(page.map((file) => [file.publication, file]));
    for (const { publication, name, firstAt, lastAt, ...facts } of await readFetches(read, [...files.keys()])) {
      const { folder: from, name: file } = files.get(publication) ?? {};
      // A file may have another name since.
      appendLine(folder, 'fetched.jsonl', { folder: from, file, ...facts, name, firstAt: isoTime(firstAt), lastAt: isoTime(lastAt) });
    }
    page = await readFilesOf(read, accountRegNo, page.at(-1)?.publication ?? 0);
  }
}

async function exportItems(
  { ledger: { read }, data }: Administration,
  accountRegNo: string,
  folder: string,
  progress: Progress,
): Promise<number> {
  let count = 0;
  for await (const items of itemPages(read, accountRegNo)) {
    for (const found of [...(await findItemsOf(read, items)).values()].flat()) {
      const { attempts, published } = await readHistory(read, found);
      const { spoolName: _, fileName, begunAt, receivedAt, endedAt, nextAttemptAt: __, ...facts } = found;
      appendLine(folder, 'sent.jsonl', {
        ...facts,
        file: nameText(fileName),
        ...isoTimes({ begunAt, receivedAt, endedAt }),
        attempts: attempts.map(({ at, endedAt: knownAt, ...attempt }) => ({ at: isoTime(at), ...attempt, endedAt: isoTime(knownAt) })),
        published: published.map(publishedLine),
        unfinished: await exportSpooled(data, found, folder),
      });
      count++;
    }
    progress(counted(count, 'dropped file'));
  }
  return count;
}

/** Copies its file, where that lies in the spool, under the name that its original would have in a home. Returns its path below the folder. */
async function exportSpooled(data: string, { home, spoolName, fileName, item }: FoundItem, folder: string): Promise<string | null> {
  const path = `${UNFINISHED}/${originalName(fileName, item)}`;
  return inFolder(spoolFolder(data, home), [], async (spool) => {
    if (!(await spool.stat(spoolName))) return null;
    ensureFolder(folder, UNFINISHED);
    await copyFile(spool, spoolName, join(folder, path));
    return path;
  }).catch(nullIf('missing'));
}

function publishedLine({ publication: _, writtenAt, ...file }: PublishedFile): object {
  return { ...file, writtenAt: isoTime(writtenAt) };
}
