// How a gateway reads documents, by what it knows of the service that they go to and come from.
import { hash } from 'node:crypto';
import { LruCache } from '#runtime/cache.ts';
import { type ReadHead, readHead } from '#ubl/head.ts';
import { type Content, type Inspect, inspect, inspectContent, LONG_BYTES, saysWhatIsWrong } from './inspect.ts';

/** How documents are read that are sent, and those that are fetched. */
export interface Reading {
  /** Reads what a document is, of which the digest is known. Throws `unreadable`, `invalid`. */
  readonly inspect: (bytes: Uint8Array, sha256: string) => Promise<ReadHead>;
  /** The content of a fetched document. The service judges it: one that we cannot read has no head, and the digest of its bytes. */
  readonly contentOf: (bytes: Uint8Array) => Promise<Content<ReadHead | null>>;
}

/** What other accounts of this installation have sent is received soon. */
const HEADS_MAX = 2_000;

/**
 * Beside a service in this process: it inspects short documents for us (where it does not answer, we do), and gives them byte for byte as they
 * came. So their bytes tell one from another, and the heads of those that were sent from here are known.
 */
export function readingBeside(service: Inspect): Reading {
  const heads = new LruCache<ReadHead>(HEADS_MAX);
  const ask = async (bytes: Uint8Array): Promise<ReadHead> => {
    try {
      return await service(bytes);
    } catch (error) {
      if (saysWhatIsWrong(error)) throw error;
      return readHead(bytes);
    }
  };
  return {
    async inspect(bytes, sha256) {
      return bytes.length > LONG_BYTES ? inspect(bytes) : heads.put(sha256, await ask(bytes));
    },
    async contentOf(bytes) {
      if (bytes.length > LONG_BYTES) return contentOf(bytes);
      const sha256 = hash('sha256', bytes);
      return { head: heads.take(sha256) ?? (await inspect(bytes).catch(() => null)), sha256 };
    },
  };
}

/** Of a service elsewhere, which may spell documents anew. */
export const OWN_READING: Reading = { inspect, contentOf };

async function contentOf(bytes: Uint8Array): Promise<Content<ReadHead | null>> {
  return inspectContent(bytes).catch(() => ({ head: null, sha256: hash('sha256', bytes) }));
}

/**
 * Whether this digest, if any, was told of the document by either reading: the service may have moved into another process since, or out of
 * it.
 */
export async function isSameContent(bytes: Uint8Array, sha256: string | null | undefined): Promise<boolean> {
  if (!sha256) return false;
  const isOfBytes = bytes.length <= LONG_BYTES && sha256 === hash('sha256', bytes);
  return isOfBytes || sha256 === (await contentOf(bytes)).sha256;
}
