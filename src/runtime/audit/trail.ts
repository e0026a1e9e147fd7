// The audit trail: what people have done, one JSON line for each act, in files below `audit/` of the data folder. Each line ends with a MAC over itself
// and the MAC of the line before, by a key that is derived from the master key: a line that is changed, taken out or put in shows.
import { createHmac } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { isoTime } from '#domain/day.ts';
import { ensureFolder, FolderSync } from '#runtime/files/durable.ts';
import { lockTrail } from '#runtime/files/lock.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { Seal } from '#runtime/seal.ts';

/** What somebody has done. */
export interface Act {
  readonly who: string;
  /** The command, as `account disable`. */
  readonly what: string;
  /** Its arguments and options. */
  readonly given: unknown;
  /** What it has changed, as it was; undefined where nothing was there. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** Why it did not come to its end; it may have changed something all the same. */
  readonly failed?: string;
}

interface AuditLine extends Act {
  readonly sequence: number;
  readonly at: string;
}

/** A line as it stands in its file. */
export interface StoredLine {
  readonly file: string;
  /** Counted from 1. */
  readonly number: number;
  /** Without its MAC. */
  readonly body: string;
  readonly mac: string;
}

interface TrailLimits {
  /** A file of this size is followed by another one. */
  readonly fileBytesMax: number;
  /** Of more the oldest goes. */
  readonly filesMax: number;
}

const LIMITS: TrailLimits = { fileBytesMax: 4 * 2 ** 20, filesMax: 64 };
/** Characters of one line; what an act has changed is left out of a longer one. */
const LINE_CHARACTERS_MAX = 64 * 1024;
/** Bytes from the end of a file in which its last line stands. */
const TAIL_BYTES = 4 * LINE_CHARACTERS_MAX + 1024;
/** What Dropgate notes by itself: the oldest file was removed, and how its chain had ended. */
export const DROPPED = 'audit dropped';

const FILE = /^\d{10}\.jsonl$/;
const MAC = /,"mac":"([0-9a-f]{64})"\}$/;

function auditFolder(data: string): string {
  return join(data, 'audit');
}

/** With another key file the trail begins anew: by that key its lines could not be verified. They stay beside it. */
export function setTrailAside(data: string, atMs: number): void {
  const folder = auditFolder(data);
  if (existsSync(folder)) renameSync(folder, `${folder}-until-${isoTime(atMs).replace(/[-:.]/g, '')}`);
}

/** Its files, oldest first; none where nobody has done anything yet. */
export function trailFiles(data: string): string[] {
  try {
    const names = readdirSync(auditFolder(data)).filter((name) => FILE.test(name));
    return names.sort().map((name) => join(auditFolder(data), name));
  } catch {
    return [];
  }
}

/** A line with its MAC taken off; the MAC is '' where none stands there. */
function storedLine(file: string, number: number, text: string): StoredLine {
  const mac = MAC.exec(text)?.[1];
  return mac === undefined
    ? { file, number, body: text, mac: '' }
    : { file, number, body: `${text.slice(0, text.lastIndexOf(',"mac":'))}}`, mac };
}

export function* storedLines(file: string): Generator<StoredLine> {
  const lines = readFileSync(file, 'utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const [at, text] of lines.entries()) yield storedLine(file, at + 1, text);
}

const BLOCK_BYTES = LINE_CHARACTERS_MAX;
const LINE_FEED = 0x0a;

/** The last one first, without their MACs. Of a long file no more is read than is taken. */
export function* bodiesFromEnd(file: string): Generator<string> {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const bodyIn = (bytes: Buffer): string => storedLine(file, 0, bytes.toString('utf8')).body;
  try {
    let start = fstatSync(descriptor).size;
    /** What was read, but for the lines that were handed out. */
    let held = Buffer.alloc(0);
    while (start > 0) {
      const block = Buffer.alloc(Math.min(start, BLOCK_BYTES));
      start -= block.length;
      readSync(descriptor, block, 0, block.length, start);
      held = Buffer.concat([block, held]);
      for (let end = held.lastIndexOf(LINE_FEED); end >= 0; end = held.lastIndexOf(LINE_FEED)) {
        if (end < held.length - 1) yield bodyIn(held.subarray(end + 1));
        held = held.subarray(0, end);
      }
    }
    if (held.length > 0) yield bodyIn(held);
  } finally {
    closeSync(descriptor);
  }
}

/** The number of the first line of a file, by its name. */
export function firstSequenceOf(file: string): number {
  return Number.parseInt(basename(file), 10);
}

export function macOf(key: Uint8Array, previous: string, body: string): string {
  return createHmac('sha256', key).update(`${previous}\n${body}`).digest('hex');
}

export function trailKey(seal: Pick<Seal, 'derive'>): Uint8Array {
  return seal.derive('audit trail');
}

/** Writes an act down, durably; several processes may at the same time. Throws what the disk throws. */
export async function writeDown(data: string, seal: Pick<Seal, 'derive'>, act: Act, atMs: number, limits = LIMITS): Promise<void> {
  const folder = ensureFolder(auditFolder(data));
  const key = trailKey(seal);
  using _turn = await lockTrail(folder);
  const files = trailFiles(data);
  // A crash may have left a file without a line.
  while (files.length > 0 && lastLine(files.at(-1) ?? '').bytes === 0) files.pop();
  const { file, isNew, last } = endOf(folder, files, limits.fileBytesMax);
  let { sequence, mac } = last;
  let text = '';
  const add = (done: Act): void => {
    const body = bodyOf({ sequence: ++sequence, at: isoTime(atMs), ...done });
    mac = macOf(key, mac, body);
    text += `${body.slice(0, -1)},"mac":"${mac}"}\n`;
  };
  add(act);
  const dropped = isNew ? files.slice(0, Math.max(files.length + 1 - limits.filesMax, 0)) : [];
  const end = dropped.map(lastLine).at(-1);
  if (end) add({ who: 'dropgate', what: DROPPED, given: {}, after: { through: end.sequence, mac: end.mac } });
  append(file, text);
  if (isNew) await new FolderSync().sync(folder);
  // Only now: the line that says so is on disk.
  for (const old of dropped) rmSync(old);
}

interface End {
  readonly file: string;
  readonly isNew: boolean;
  /** The line before, perhaps in another file. */
  readonly last: Last;
}

/**
 * Where the next line belongs; a file for it is begun where that is a new one. `files` gets those that others have begun and the listing does not have
 * yet, as over NFS: only the file server knows of them at once.
 */
function endOf(folder: string, files: string[], fileBytesMax: number): End {
  const newest = files.at(-1);
  let last = newest === undefined ? NOTHING : lastLine(newest);
  if (newest !== undefined && last.bytes < fileBytesMax) return { file: newest, isNew: false, last };
  for (;;) {
    const file = join(folder, `${String(last.sequence + 1).padStart(10, '0')}.jsonl`);
    if (begin(file)) return { file, isNew: true, last };
    const there = lastLine(file);
    if (there.bytes === 0) return { file, isNew: true, last };
    if (there.bytes < fileBytesMax) return { file, isNew: false, last: there };
    files.push(file);
    last = there;
  }
}

/** False where it is there already. */
function begin(file: string): boolean {
  try {
    closeSync(openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o640));
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function bodyOf(line: AuditLine): string {
  const body = JSON.stringify(line);
  if (body.length <= LINE_CHARACTERS_MAX) return body;
  const { before: _, after: __, given: ___, ...short } = line;
  return JSON.stringify({ ...short, given: 'too long to be written down' });
}

interface Last {
  readonly sequence: number;
  readonly mac: string;
  readonly bytes: number;
}

const NOTHING: Last = { sequence: 0, mac: '', bytes: 0 };

/** What a crash has left of a line at the end is cut off: nobody was told that it is there. */
function lastLine(file: string): Last {
  const descriptor = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const { size } = fstatSync(descriptor);
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(descriptor, tail, 0, tail.length, size - tail.length);
    const end = tail.lastIndexOf('\n');
    const bytes = size - tail.length + end + 1;
    if (bytes < size) ftruncateSync(descriptor, bytes);
    const text = tail.subarray(tail.lastIndexOf('\n', end - 1) + 1, Math.max(end, 0)).toString('utf8');
    const { body, mac } = storedLine(file, 0, text);
    return { sequence: sequenceOf(body) ?? 0, mac, bytes };
  } finally {
    closeSync(descriptor);
  }
}

/** Undefined where the line is none of ours. */
export function sequenceOf(body: string): number | undefined {
  const found = /^\{"sequence":(\d{1,15}),/.exec(body)?.[1];
  return found === undefined ? undefined : Number(found);
}

function append(file: string, text: string): void {
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
