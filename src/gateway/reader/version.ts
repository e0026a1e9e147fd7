// The head of a fetched document, and the digest that differs between two versions of it.
import { hash } from 'node:crypto';
import type { DocumentHead } from '#domain/document.ts';
import { inspectContent } from './inspect.ts';

export interface Content {
  /** Null when it cannot be read here. */
  readonly head: DocumentHead | null;
  /** Of the canonical tree, so that all spellings of one document are one; of the bytes when they cannot be read here. */
  readonly digest: string;
}

/** The document is the service's to judge: one that we cannot read is published all the same, under a poorer name. */
export async function contentOf(bytes: Uint8Array): Promise<Content> {
  try {
    const { head, sha256 } = await inspectContent(bytes);
    return { head, digest: sha256 };
  } catch {
    return { head: null, digest: hash('sha256', bytes) };
  }
}

/** Whether the document is the one that was known by this digest. */
export async function isSameContent(bytes: Uint8Array, digest: string): Promise<boolean> {
  return digest === (await contentOf(bytes)).digest;
}
