// A backup may have an upload twice that moved while it was made: where it came from, and where it went.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type ReceivingState, readReceivingOf, receivingPath } from '#gateway/disk/spool-files.ts';
import { Unfinished } from '#gateway/spool/unfinished.ts';
import { FolderSync } from '#runtime/files/durable.ts';

const ID = '01M7YRRT800QQSVYBTK99QBD23';
const OTHER = '01M7YRRT800QQSVYBTK99QBD24';
const FILE = { home: 'acme', folder: 'inbox', login: 'erp', name: 'x.tmp' };

function newData(): string {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-twice-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  return data;
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function received(data: string, incarnation: string, upload: string, state: ReceivingState, text: string): void {
  put(receivingPath(data, incarnation, { ...FILE, upload, state }), text);
}

/** What is in sight after a start: its id, state and bytes. */
async function takenOver(data: string): Promise<string[]> {
  const unfinished = new Unfinished({ data, incarnation: 'ours', inHand: { check: () => undefined }, folders: new FolderSync() });
  const seen: string[] = [];
  for await (const { id, state, path } of unfinished.takeOver()) seen.push(`${id} ${state} ${readFileSync(path, 'utf8')}`);
  // Nothing else lies there.
  const lying = (await readReceivingOf(data, FILE.home)).map(({ path, incarnation }) => `${incarnation} ${existsSync(path)}`);
  expect(lying).toEqual(seen.map(() => 'ours true'));
  return seen;
}

it('of one that was brought from node to node one is shown', async () => {
  const data = newData();
  for (const node of ['one', 'two']) received(data, node, ID, 'waiting', 'whole');
  received(data, 'two', OTHER, 'broken', 'part');
  expect((await takenOver(data)).sort()).toEqual([`${ID} waiting whole`, `${OTHER} broken part`]);
});

it.each([
  ['one', 'two'],
  ['two', 'one'],
])('of one that was closed in between the closed one is shown: it lies in %s', async (closed, open) => {
  const data = newData();
  received(data, open, ID, 'open', 'who');
  received(data, closed, ID, 'waiting', 'whole');
  expect(await takenOver(data)).toEqual([`${ID} waiting whole`]);
});

it('of one that grew in between the longer one is shown', async () => {
  const data = newData();
  received(data, 'one', ID, 'open', 'longer');
  received(data, 'two', ID, 'broken', 'long');
  expect(await takenOver(data)).toEqual([`${ID} broken longer`]);
});

it('one that was taken is an item, and is not shown beside it', async () => {
  const data = newData();
  received(data, 'one', ID, 'waiting', 'whole');
  received(data, 'one', OTHER, 'waiting', 'other');
  put(join(data, 'spool', 'acme', `${ID}~-~x.xml`), 'whole');
  expect(await takenOver(data)).toEqual([`${OTHER} waiting other`]);
});
