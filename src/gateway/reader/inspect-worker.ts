// The thread of long looks. Documents have been taken when it sees them, so it gives way to whoever still transfers some.
import { createHash } from 'node:crypto';
import { giveWay } from '#runtime/threads/priority.ts';
import { answerTasks } from '#runtime/threads/thread.ts';
import { canonicalHandlers } from '#ubl/canonical.ts';
import { createHeadReader, type ReadHead } from '#ubl/head.ts';

export interface LookTasks {
  look: { readonly asked: Look; readonly found: Looked };
}

export interface Look {
  readonly bytes: Uint8Array;
  /** Whether the digest of the canonical form is wanted, too. */
  readonly digest: boolean;
}

export interface Looked {
  readonly head: ReadHead;
  /** Empty unless it was asked for. */
  readonly sha256: string;
}

giveWay();
answerTasks<LookTasks>({
  look({ bytes, digest }) {
    const hash = createHash('sha256');
    const reader = createHeadReader(digest ? canonicalHandlers((piece) => hash.update(piece)) : undefined);
    reader.write(bytes);
    return { head: reader.end(), sha256: digest ? hash.digest('hex') : '' };
  },
});
