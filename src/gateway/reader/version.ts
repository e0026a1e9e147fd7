// What a fetched document says of itself, and the digest by which another version of it is told from the same one.
import { hash } from 'node:crypto';
import type { Arrival, DocumentHead } from '#domain/document.ts';
import { lookInto } from './inspect.ts';

export interface Content {
  /** Null when nobody here can read it. */
  readonly head: DocumentHead | null;
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

/** The same of a document that our own core has told of, and gives byte for byte as it came: nothing of it need be read, unless another version has come since. */
export async function announcedContentOf(bytes: Uint8Array, { head, sha256 }: Arrival): Promise<Content> {
  const found = sha256Of(bytes);
  return { head: found === sha256 ? head : (await contentOf(bytes)).head, digest: BYTES + found };
}

/** Whether the document is the one that was known by this digest. */
export async function isSameContent(bytes: Uint8Array, digest: string): Promise<boolean> {
  return digest === (digest.startsWith(BYTES) ? BYTES + sha256Of(bytes) : (await contentOf(bytes)).digest);
}

const BYTES = 'bytes:';

function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}
