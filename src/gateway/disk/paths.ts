// Where things lie in the data folder: homes, spool and keys, as absolute paths.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { toByteName } from '#gateway/model/intake.ts';
import { ANSWER_FOLDER, ORDER_ANSWERS } from '#gateway/model/order-answer.ts';
import { HOME_FOLDERS, type HomeFolder } from '#gateway/model/rule-words.ts';
import { ensureFolders } from '#runtime/files/durable.ts';
import { ifThere, makeFolders } from '#runtime/files/held-folder.ts';

/** Where a node keeps what is not for all that share the data folder; the data folder itself for a gateway that works alone. */
export function ownFolder(data: string, node: string | null | undefined): string {
  return node ? join(data, 'nodes', node) : data;
}

/**
 * A home on disk: named like its account or, when it is the home of a partner's children, like the partner; checked when that was added. Not
 * normalized: paths are made in every step of a document, and contain nothing to normalize. Other programs write in homes:
 * it is the root of a walk (safe-folder.ts), and never joined to a name.
 */
export function homeFolder(data: string, home: string): string {
  return `${data}/homes/${home}`;
}

/** Files on their way into a home are written here first, by the process with this incarnation. */
export function stagingFolder(data: string, incarnation: string): string {
  return join(data, 'staged', incarnation);
}

/** The same in each home, for those on another file system: a rename must not leave it. */
export const STAGING = '.staged';

/** Complete files that are ours and unfinished. */
export function spoolFolder(data: string, home: string): string {
  return join(data, 'spool', home);
}

/** Uploads that are not committed yet, of the process with this incarnation. On one file system with the spool. */
export function receivingFolder(data: string, incarnation: string): string {
  return join(data, 'spool', 'receiving', incarnation);
}

/** Those of one home: what it has there costs nothing where another home is looked at. */
export function arrivingFolder(data: string, incarnation: string, home: string): string {
  return join(receivingFolder(data, incarnation), home);
}

export function sealPath(data: string): string {
  return join(data, 'keys', 'secret.key');
}

/** Makes the folders of a home and of its spool. Throws `name` where something else has the name of one of them. */
export function ensureHome(data: string, home: string): void {
  const root = homeFolder(data, home);
  ensureFolders([root, spoolFolder(data, home)]);
  makeFolders(root, [], [...HOME_FOLDERS, STAGING]);
  makeFolders(root, ['inbox'], ['overwrite']);
}

/** Makes the folders of a home into which orders are moved to be answered. Throws `name` where something else has the name of one of them. */
export function ensureAnswerFolders(data: string, home: string): void {
  const root = homeFolder(data, home);
  makeFolders(root, [], [ANSWER_FOLDER]);
  makeFolders(root, [ANSWER_FOLDER], ORDER_ANSWERS);
}

/** The same for people, in messages: nothing is opened by it. */
export function shownPath(data: string, home: string, ...below: readonly string[]): string {
  return join(homeFolder(data, home), ...below);
}

/** What lies in a folder of a home, as text; nothing where the folder is missing, or something else has its name. */
export function namesIn(data: string, home: string, folder: HomeFolder): string[] {
  const names = ifThere(homeFolder(data, home), [folder], (held) => held.list()) ?? [];
  return names.map((name) => Buffer.from(name, 'latin1').toString());
}

/** Whether a file, or anything else, has this name there. */
export function isIn(data: string, home: string, folder: HomeFolder, name: string): boolean {
  return ifThere(homeFolder(data, home), [folder], (held) => held.look(toByteName(name))) !== undefined;
}

/** Removes a file; one that has gone already is fine. */
export function discard(path: string | Buffer): void {
  rmSync(path, { force: true });
}
