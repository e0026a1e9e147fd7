// The spool: one file per unfinished item. A file in spool/ACCOUNT/ is complete, ours and unfinished; its name says everything
// that a lost ledger needs. Files that are still being written lie in spool/receiving/INCARNATION/ACCOUNT/, by the process that writes them.
import { hash } from 'node:crypto';
import { closeSync, type Dirent, existsSync, fstatSync, fsync, openSync, readdirSync, readSync, type Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type Homes, isAmong } from '#gateway/model/homes.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import type { SubmitMode } from '#gateway/model/item.ts';
import { forEachLimit } from '#runtime/concurrency.ts';
import { digestFile, ensureFolder, READ_PLAIN } from '#runtime/files/durable.ts';
import { nullIf } from '#runtime/files/system-code.ts';
import { arrivingFolder, receivingFolder, spoolFolder } from './paths.ts';

const fsyncAsync = promisify(fsync);

/** Bytes of a file's name at the most; what an escaped name is made of takes one byte each. */
const NAME_MAX = 255;
/** Characters of an escaped name at the most, so that a spool name with everything before it fits. */
const ESCAPED_MAX = 140;
const PLAIN = /[A-Za-z0-9._-]/;

interface SpoolName {
  readonly item: string;
  readonly mode: SubmitMode;
  readonly name: ByteName;
}

export interface SpoolFile extends SpoolName {
  readonly home: string;
  readonly spoolName: string;
}

const FLAGS: Readonly<Record<SubmitMode, string>> = { send: '-', overwrite: 'o', resend: 'r', unnamed: 'u' };
const MODES = new Map<string | undefined, SubmitMode>([
  [FLAGS.send, 'send'],
  [FLAGS.overwrite, 'overwrite'],
  [FLAGS.resend, 'resend'],
  [FLAGS.unnamed, 'unnamed'],
]);

/** `ITEM~flag~name`. */
export function spoolName({ item, mode, name }: SpoolName): string {
  return `${item}~${FLAGS[mode]}~${escapeName(name)}`;
}

/** The file of an item, as a path below the data folder. */
export function spooledPath({ home, spoolName: file }: { readonly home: string; readonly spoolName: string }): string {
  return `spool/${home}/${file}`;
}

/** Reads a spool name; undefined for a file that is not ours. */
export function parseSpoolName(fileName: string): SpoolName | undefined {
  const found = /^([0-9A-HJKMNP-TV-Z]{26})~(.)~(.+)$/.exec(fileName);
  const mode = MODES.get(found?.[2]);
  return found && mode ? { item: found[1] ?? '', mode, name: unescapeName(found[3] ?? '') } : undefined;
}

/** Every file in the spool of these homes, by home and oldest first. */
export function readSpool(data: string, homes: Homes): SpoolFile[] {
  const root = ensureFolder(data, 'spool');
  if ('only' in homes) return homes.only.flatMap((home) => readSpoolOf(data, home));
  const folders = readdirSync(root, { withFileTypes: true });
  const ours = folders.filter((entry) => entry.isDirectory() && entry.name !== 'receiving' && isAmong(entry.name, homes));
  return ours.flatMap(({ name }) => readSpoolOf(data, name));
}

/** An entry that is no file is left out: a program had put it in place of a file that was being taken, and a crash kept it from being given back. */
export function readSpoolOf(data: string, home: string): SpoolFile[] {
  return entriesOf(spoolFolder(data, home))
    .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
    .sort()
    .flatMap((file) => {
      const parsed = parseSpoolName(file);
      return parsed ? [{ ...parsed, home, spoolName: file }] : [];
    });
}

const COPY = '.copy';

/** Folders of homes that are read at the same time. */
const FOLDERS_AT_ONCE = 32;

/** State of a file in receiving, and its letter: being written, or left so by a process that was killed; cut off before it was closed; closed under a temporary name. */
const STATES = { open: 'p', broken: 'b', waiting: 'w' } as const;
export type ReceivingState = keyof typeof STATES;
const STATE_OF = new Map<string | undefined, ReceivingState>([
  [STATES.open, 'open'],
  [STATES.broken, 'broken'],
  [STATES.waiting, 'waiting'],
]);

interface ReceivingName {
  readonly upload: string;
  readonly home: string;
  readonly folder: string;
  readonly state: ReceivingState;
  readonly login: string;
  readonly name: ByteName;
}

/** `UPLOAD~state~folder~account~login~name`: all that shows a broken upload again after a restart. Only a name that does not fit is cut. */
export function receivingPath(data: string, incarnation: string, file: ReceivingName): string {
  const before = [file.upload, STATES[file.state], file.folder, file.home, file.login, ''].join('~');
  return join(arrivingFolder(data, incarnation, file.home), before + escapeName(file.name, NAME_MAX - before.length));
}

/** Tells which uploads have this name, of which the name of its file may have only the beginning and a digest. */
export function namedAs(name: ByteName): (upload: ArrivingUpload) => boolean {
  const end = endOfCut(name);
  return (upload) => upload.name === name || upload.path.endsWith(end);
}

/** The name of a file in receiving, in another state. */
export function receivingNameIn(fileName: string, state: ReceivingState): string {
  return fileName.replace(/~.~/, `~${STATES[state]}~`);
}

/** Where an original is copied to before it is sent again; what a crash leaves of it is swept away at the next start. */
export function copyPath(data: string, incarnation: string, item: string): string {
  return join(ensureFolder(receivingFolder(data, incarnation)), `${item}${COPY}`);
}

/** A file in `receiving/`, and whose it is. */
interface Arriving {
  readonly incarnation: string;
  readonly path: string;
}

export type ArrivingUpload = Arriving & ReceivingName;

/** Copies that are being made, or that a crash has left. */
export async function readCopies(data: string): Promise<Arriving[]> {
  const found = await Promise.all((await readArriving(data)).map((incarnation) => contentsOf(data, incarnation)));
  return found.flatMap(({ files }) => files.filter(({ path }) => path.endsWith(COPY)));
}

/** Whose files lie in `receiving/`: incarnations, and '' for a version that had one folder for all. */
export async function readArriving(data: string): Promise<string[]> {
  return ['', ...(await readIncarnations(data))];
}

/** Incarnations that have a folder in `receiving/`. */
export function readIncarnations(data: string): Promise<string[]> {
  return foldersIn(ensureFolder(receivingFolder(data, '')));
}

/** The uploads of a home, of all incarnations but `except`. */
export async function readReceivingOf(data: string, home: string, except?: string): Promise<ArrivingUpload[]> {
  const others = (await readIncarnations(data)).filter((incarnation) => incarnation !== except);
  const found = await Promise.all(others.map((incarnation) => filesIn(incarnation, arrivingFolder(data, incarnation, home))));
  return found.flat().flatMap(uploadIn);
}

/** All uploads of an incarnation, and the folders of homes in which they lie. */
export async function readReceiving(data: string, incarnation: string): Promise<{ uploads: ArrivingUpload[]; folders: string[] }> {
  const { files, folders } = await contentsOf(data, incarnation);
  const found = [files];
  await forEachLimit(folders, FOLDERS_AT_ONCE, async (folder) => found.push(await filesIn(incarnation, folder)));
  return { uploads: found.flat().flatMap(uploadIn), folders };
}

function uploadIn(file: Arriving): ArrivingUpload[] {
  const [upload, letter, folder, home, login, name, ...rest] = basename(file.path).split('~');
  const state = STATE_OF.get(letter);
  if (!upload || !state || !folder || !home || login === undefined || !name || rest.length > 0) return [];
  return [{ ...file, upload, state, folder, home, login, name: unescapeName(name) }];
}

/** What lies beside the folders of homes, and those; in the one folder that versions before had for all, other incarnations are no homes. */
async function contentsOf(data: string, incarnation: string): Promise<{ files: Arriving[]; folders: string[] }> {
  const top = receivingFolder(data, incarnation);
  const entries = (await readdir(top, { withFileTypes: true }).catch(nullIf('ENOENT'))) ?? [];
  const files: Arriving[] = [];
  const folders: string[] = [];
  for (const entry of entries) {
    const path = join(top, entry.name);
    if (!entry.isDirectory()) files.push({ incarnation, path });
    else if (incarnation !== '') folders.push(path);
  }
  return { files, folders };
}

/** A folder that has gone meanwhile has none. */
async function filesIn(incarnation: string, folder: string): Promise<Arriving[]> {
  const names = (await readdir(folder).catch(nullIf('ENOENT'))) ?? [];
  return names.map((name) => ({ incarnation, path: join(folder, name) }));
}

async function foldersIn(root: string): Promise<string[]> {
  return (await readdir(root, { withFileTypes: true })).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

function entriesOf(folder: string): Dirent[] {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
}

/** fsyncs the bytes of a file, also those that another program wrote: a descriptor for reading is enough. After a failure the file must be given up: a second fsync proves nothing. */
export async function syncBytes(path: string | Buffer): Promise<void> {
  const descriptor = openSync(path, READ_PLAIN);
  try {
    await fsyncAsync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Handing a read to another thread takes longer than to read so much. */
const SHORT_BYTES = 128 * 1024;

/** What a file in the spool is and holds. */
export type Digested = Pick<Stats, 'size' | 'mtimeMs'> & { readonly sha256: string };

/** For many files of the spool, one after the other: short ones are read synchronously, all into the same buffer. */
export function openDigester(): (path: string) => Promise<Digested> {
  const place = Buffer.allocUnsafeSlow(SHORT_BYTES);
  return async (path) => {
    const descriptor = openSync(path, READ_PLAIN);
    try {
      const { size, mtimeMs } = fstatSync(descriptor);
      const isWhole = size <= SHORT_BYTES && readSync(descriptor, place, 0, SHORT_BYTES, 0) === size;
      return { size, mtimeMs, sha256: isWhole ? hash('sha256', place.subarray(0, size)) : await digestFile(path) };
    } finally {
      closeSync(descriptor);
    }
  };
}

/** Percent-escapes all but letters, digits, dot, underscore and hyphen; a name that is too long is cut, and a digest distinguishes it. */
function escapeName(name: ByteName, max = ESCAPED_MAX): string {
  let escaped = '';
  for (const char of name) escaped += PLAIN.test(char) ? char : `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  if (escaped.length <= max) return escaped;
  const end = endOfCut(name);
  return escaped.slice(0, max - end.length).replace(/%.?$/, '') + end;
}

/** What a name that is cut ends with. */
function endOfCut(name: ByteName): string {
  return `+${hash('sha256', Buffer.from(name, 'latin1')).slice(0, 16)}`;
}

function unescapeName(escaped: string): ByteName {
  return escaped.replaceAll(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
