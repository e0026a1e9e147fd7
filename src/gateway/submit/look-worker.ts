// The thread of long looks. Documents have been taken when it sees them, so it gives way to whoever still transfers some.
import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { toAppError } from '#domain/error.ts';
import { canonicalHandlers } from '#ubl/canonical.ts';
import { createHeadReader } from '#ubl/head.ts';
import { isLookRequest, type Looked, type LookReply, type LookRequest } from './look-messages.ts';

const NICENESS = 5;

giveWay();
parentPort?.on('message', (request: unknown) => {
  if (isLookRequest(request)) parentPort?.postMessage(answer(request));
});

function answer({ bytes, digest }: LookRequest): LookReply {
  try {
    return { kind: 'looked', looked: look(bytes, digest) };
  } catch (error) {
    const { code, message, facts } = toAppError(error);
    return { kind: 'failed', code, sentence: message, facts };
  }
}

function look(bytes: Uint8Array, digest: boolean): Looked {
  const hash = createHash('sha256');
  const reader = createHeadReader(digest ? canonicalHandlers((piece) => hash.update(piece)) : undefined);
  reader.write(bytes);
  return { head: reader.end(), sha256: digest ? hash.digest('hex') : '' };
}

/** Linux counts niceness by thread, and tells a thread its number here. */
function giveWay(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS);
  } catch {
    // Elsewhere it works without.
  }
}
