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
import { readArriving } from '#gateway/ledger/account-data.ts';
import { readAccount } from '#gateway/ledger/accounts.ts';
import { type FoundDocument, readReceivedAfter } from '#gateway/ledger/find.ts';
import { readParticipantsOf } from '#gateway/ledger/participants.ts';
import { type FoundItem, findItemsOf, itemPages, type PublishedFile, readFiles, readHistory } from '#gateway/ledger/searches.ts';
import { nameText, originalName } from '#gateway/model/file-names.ts';
import { copyStaged } from '#gateway/publish/staging.ts';
import { ensureFolder } from '#runtime/files/durable.ts';
import { appendLine } from '#runtime/files/json-lines.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import { nullIf } from '#runtime/files/system-code.ts';
import { findAccountHere } from './account-rules.ts';
import type { Administration } from './administration.ts';
import { exportBeside } from './export-beside.ts';

type Progress = (text: string) => void;

interface ExportedHere {
  readonly items: number;
  readonly received: number;
}

const PAGE = 50;
/** Below the export: files that are dropped, and have not ended. */
const UNFINISHED = 'unfinished';
/** And files that are owed to its home, and not in it. */
const ARRIVING = 'arriving';

/**
 * Null where it has no home here. `account.json`, `sent.jsonl`, `received.jsonl`, the folders `unfinished/`, `arriving/`, `home/` and `archive/`, and what stands
 * beside its documents.
 */
export async function exportHere(
  on: Administration,
  accountRegNo: string,
  folder: string,
  progress: Progress,
): Promise<ExportedHere | null> {
  const { ledger, data } = on;
  const account = await findAccountHere(on, accountRegNo);
  if (!account) return null;
  const partnerRegNo = (await readAccount(ledger.read, accountRegNo))?.partnerRegNo;
  const participants = await readParticipantsOf(ledger.read, accountRegNo);
  writeFileSync(join(folder, 'account.json'), `${JSON.stringify({ ...account, partnerRegNo, participants }, null, 2)}\n`);
  // Before its home: what ends meanwhile moves there.
  const items = await exportItems(on, accountRegNo, folder, progress);
  const received = await exportReceived(on, accountRegNo, folder, progress);
  await exportBeside(on, accountRegNo, folder);
  await exportArriving(on, accountRegNo, folder);
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

/** Copies what is staged, by the folder and the name that it will have; what has got there meanwhile the home has. */
async function exportArriving({ ledger: { read }, data }: Administration, accountRegNo: string, folder: string): Promise<void> {
  for (const { folder: into, name, staged } of await readArriving(read, accountRegNo)) {
    await copyStaged(data, staged, join(ensureFolder(folder, ARRIVING, into), name)).catch(nullIf('missing', 'name'));
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
