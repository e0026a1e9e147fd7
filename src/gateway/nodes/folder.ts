// The data folder of the nodes: the ledger knows its id. So a node that has mounted something else, or nothing, does not take the files that it misses for lost.
import { AppError } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import { folderId, knownFolderId } from '#gateway/disk/folder-id.ts';
import { type Node, putFolderId, readFolderId, readNodes } from '#gateway/ledger/nodes.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';

/** The command that says which folder it is from now on. */
const SAYING = 'dropgate recover --restored';
const REMEDY = 'All nodes need one and the same, on a file system that they share (data): mount it';

/** The first node of a ledger says which folder it is. Throws `usage` where the ledger knows another one; `other` is a node that lives. */
export async function agreeOnFolder(rows: Rows, data: string, id: string, other: Node | undefined): Promise<void> {
  const known = await readFolderId(rows);
  if (known === undefined) await putFolderId(rows, id);
  else if (known !== id) throw new AppError('usage', other ? besides(other, data) : unlikeBefore(data));
}

/** The sentence, where the ledger knows another folder than this one; undefined where it knows none yet. For who has not joined: makes nothing. */
export async function unlikeOf(rows: Rows, data: string, saying?: string): Promise<string | undefined> {
  const known = await readFolderId(rows);
  if (known === undefined || known === knownFolderId(data)) return undefined;
  const living = (await readNodes(rows)).find(({ leftMs }) => leftMs >= 0);
  return living ? besides(living, data) : unlikeBefore(data, saying);
}

function besides({ node, place }: Node, data: string): string {
  return `Node ${node} (${place}) works on another data folder than ${data}. ${REMEDY}.`;
}

function unlikeBefore(data: string, saying = SAYING): string {
  const otherwise = `Where this is the one from now on, as one that was restored by hand, run ${saying}`;
  return `The nodes of this database worked on another data folder than ${data}. ${REMEDY}. ${otherwise}.`;
}

/** Nodes work on this folder from now on: a restore says so, or an operator. To be called while none lives; where none ever has, its first one will say so. */
export async function changeFolder(data: string, ledger: Ledger, random: Random): Promise<void> {
  if ((await readFolderId(ledger.read)) === undefined) return;
  const id = await folderId(data, random);
  await ledger.write(['administration'], (rows) => putFolderId(rows, id));
}
