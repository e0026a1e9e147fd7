// What the bytes of an item are: the content decides, not the name. Long ones are inspected in a thread beside the event loop.
import { createHash, hash as digest } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { AppError } from '#domain/error.ts';
import type { JudgedHead } from '#rules/judged-head.ts';
import { READ_PLAIN } from '#runtime/files/durable.ts';
import { canonicalHandlers } from '#ubl/canonical.ts';
import { createHeadReader, type ReadHead, readHead } from '#ubl/head.ts';
import { readBeside } from './pool.ts';

/** What one turn digests: a millisecond. */
const TURN_BYTES = 1024 * 1024;
/** To inspect more takes longer than to hand it to another thread. */
export const LONG_BYTES = 128 * 1024;

interface Bytes {
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** Reads a file whole, with its digest. */
export async function readBytes(path: string): Promise<Bytes> {
  const short = readShort(path);
  if (short) return { bytes: short, sha256: digest('sha256', short) };
  const bytes = await readFile(path, { flag: READ_PLAIN });
  const hash = createHash('sha256');
  await inTurns(bytes, (turn) => hash.update(turn));
  return { bytes, sha256: hash.digest('hex') };
}

/**
 * The bytes of a short file, at once: handing it to another thread takes longer than to read it. They stand in memory of their own, which goes to
 * other threads as it is. Null when it is long, or is not had by one read.
 */
function readShort(path: string): Buffer | null {
  const file = openSync(path, READ_PLAIN);
  try {
    const { size } = fstatSync(file);
    if (size > LONG_BYTES) return null;
    const bytes = Buffer.allocUnsafeSlow(size);
    return readSync(file, bytes) === size ? bytes : null;
  } finally {
    closeSync(file);
  }
}

/** Reads what a document is, and judges it where the reader does both at once. Throws `unreadable`, `invalid`. */
export type Inspect = (bytes: Uint8Array) => Promise<JudgedHead>;

/** The head of a document. Throws `unreadable`, `invalid`. */
export async function inspect(bytes: Uint8Array): Promise<ReadHead> {
  return bytes.length > LONG_BYTES ? inspectLong(bytes) : readHead(bytes);
}

async function inspectLong(bytes: Uint8Array): Promise<ReadHead> {
  return (await readBeside('inspect', { bytes, digest: false })).head;
}

/** The document is at fault, not its reader. */
export function saysWhatIsWrong(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === 'unreadable' || error.code === 'invalid');
}

export interface Content<Head = ReadHead> {
  readonly head: Head;
  /** SHA-256 of the canonical form: the same for all spellings (prefixes, attribute order, white space) of one document. */
  readonly sha256: string;
}

/** Head and content digest of a document, in one pass. Throws `unreadable`, `invalid`. */
export async function inspectContent(bytes: Uint8Array): Promise<Content> {
  if (bytes.length > LONG_BYTES) return readBeside('inspect', { bytes, digest: true });
  let canonical = '';
  const collect = (piece: string): void => {
    canonical += piece;
  };
  const reader = createHeadReader(canonicalHandlers(collect));
  reader.write(bytes);
  return { head: reader.end(), sha256: digest('sha256', canonical) };
}

/** Hands `bytes` on in pieces, and lets the event loop have a turn between them. */
async function inTurns(bytes: Uint8Array, each: (turn: Uint8Array) => void): Promise<void> {
  for (let at = 0; at < bytes.length || at === 0; at += TURN_BYTES) {
    if (at > 0) await new Promise((turn) => setImmediate(turn));
    each(bytes.subarray(at, at + TURN_BYTES));
  }
}
