// A look at the bytes of an item: the content decides what it is, not the name. Long files are read in turns of the event loop.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { READ_PLAIN } from '#runtime/files.ts';
import { canonicalHandlers } from '#ubl/canonical.ts';
import { createHeadReader, type HeadReader, type ReadHead } from '#ubl/head.ts';

/** What one turn reads: a few milliseconds at most. */
const TURN_BYTES = 64 * 1024;

export interface Bytes {
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** Reads a file whole, with its digest. */
export async function readBytes(path: string): Promise<Bytes> {
  const bytes = await readFile(path, { flag: READ_PLAIN });
  const hash = createHash('sha256');
  await inTurns(bytes, (turn) => hash.update(turn), 1024 * 1024);
  return { bytes, sha256: hash.digest('hex') };
}

/** The head of a document. Throws `unreadable`, `invalid`. */
export function lookAt(bytes: Uint8Array): Promise<ReadHead> {
  return readInTurns(createHeadReader(), bytes);
}

export interface Content {
  readonly head: ReadHead;
  /** SHA-256 of the canonical form: the same for all spellings (prefixes, attribute order, white space) of one document. */
  readonly sha256: string;
}

/** Head and content digest of a document, in one pass. Throws `unreadable`, `invalid`. */
export async function lookInto(bytes: Uint8Array): Promise<Content> {
  const hash = createHash('sha256');
  const head = await readInTurns(createHeadReader(canonicalHandlers((piece) => hash.update(piece))), bytes);
  return { head, sha256: hash.digest('hex') };
}

async function readInTurns(reader: HeadReader, bytes: Uint8Array): Promise<ReadHead> {
  await inTurns(bytes, (turn) => reader.write(turn));
  return reader.end();
}

/** Hands `bytes` on in pieces, and lets the event loop have a turn between them. */
async function inTurns(bytes: Uint8Array, each: (turn: Uint8Array) => void, turnBytes = TURN_BYTES): Promise<void> {
  for (let at = 0; at < bytes.length || at === 0; at += turnBytes) {
    if (at > 0) await new Promise((turn) => setImmediate(turn));
    each(bytes.subarray(at, at + turnBytes));
  }
}
