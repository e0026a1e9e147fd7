// What a fetched document says of itself, and the digest by which another version of it is told from the same one.
import { hash } from 'node:crypto';
import { lookInto } from '#gateway/submit/look.ts';
import { glanceAtHead, type ReadHead } from '#ubl/head.ts';

export interface Content {
  /** Null when nobody here can read it. */
  readonly head: ReadHead | null;
  /** Of the canonical tree, so that all spellings of one document are one; of the bytes, `bytes:…`, when they came from where they are never spelled anew. */
  readonly digest: string;
}

/** The document is the service's to judge: one that we cannot read is published all the same, under a poorer name. */
export async function contentOf(bytes: Uint8Array): Promise<Content> {
  try {
    const { head, sha256 } = await lookInto(bytes);
    return { head, digest: sha256 };
  } catch {
    return { head: null, digest: sha256Of(bytes) };
  }
}

/** The same of a service that gives each version byte for byte as it was sent: most of the document need not be read. */
export function verbatimContentOf(bytes: Uint8Array): Content {
  const digest = BYTES + sha256Of(bytes);
  try {
    return { head: glanceAtHead(bytes), digest };
  } catch {
    return { head: null, digest };
  }
}

/** Whether the document is the one that was known by this digest. */
export async function isSameContent(bytes: Uint8Array, digest: string): Promise<boolean> {
  return digest === (digest.startsWith(BYTES) ? BYTES + sha256Of(bytes) : (await contentOf(bytes)).digest);
}

const BYTES = 'bytes:';

function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}
