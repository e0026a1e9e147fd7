// How a gateway reads documents, by what it knows of the service that they go to and come from.
import { hash } from 'node:crypto';
import { AppError } from '#domain/error.ts';
import { seenHeadOf, withSeenHead } from '#domain/unreadable.ts';
import type { JudgedHead } from '#rules/judged-head.ts';
import { LruCache } from '#runtime/cache.ts';
import { type ReadHead, readHead } from '#ubl/head.ts';
import { type Content, type Inspect, inspect, inspectContent, LONG_BYTES, saysWhatIsWrong } from './inspect.ts';

/** How documents are read that are sent, and those that are fetched. */
export interface Reading {
  /** Reads what a document is, of which the digest is known, and judges it where the reader does both at once. Throws `unreadable`, `invalid`. */
  readonly inspect: (bytes: Uint8Array, sha256: string) => Promise<JudgedHead>;
  readonly fetched: (bytes: Uint8Array) => FetchedDocument;
}

/** Whether a document with this digest was sent from here: its head. */
type TakeHead = (sha256: string) => ReadHead | undefined;

/** What other accounts of this installation have sent is received soon. */
const HEADS_MAX = 2_000;

/**
 * Beside a service in this process: it inspects short documents for us (where it does not answer, we do), and gives them byte for byte as they
 * came. So their bytes tell one from another, and the heads of those that were sent from here are known.
 */
export function readingBeside(service: Inspect): Reading {
  const heads = new LruCache<ReadHead>(HEADS_MAX);
  const ask = async (bytes: Uint8Array): Promise<JudgedHead> => {
    try {
      return await service(bytes);
    } catch (error) {
      if (saysWhatIsWrong(error)) throw withHeadIn(bytes, error);
      return readHead(bytes);
    }
  };
  return {
    async inspect(bytes, sha256) {
      if (bytes.length > LONG_BYTES) return inspect(bytes);
      const { judgement, ...head } = await ask(bytes);
      heads.put(sha256, head);
      return judgement ? { ...head, judgement } : head;
    },
    fetched: (bytes) => new FetchedDocument(bytes, bytes.length > LONG_BYTES ? null : (sha256) => heads.take(sha256)),
  };
}

/** The service says what is wrong, and we what could be read of the head all the same. */
function withHeadIn(bytes: Uint8Array, error: AppError): AppError {
  try {
    readHead(bytes);
  } catch (own) {
    const seen = own instanceof AppError ? seenHeadOf(own) : null;
    if (seen) return withSeenHead(error, seen);
  }
  return error;
}

/** Of a service elsewhere, which may spell documents anew. */
export const OWN_READING: Reading = { inspect, fetched: (bytes) => new FetchedDocument(bytes, null) };

/** A document that was fetched; it is read once at the most, whatever is asked of it. */
class FetchedDocument {
  readonly #bytes: Uint8Array;
  readonly #takeHead: TakeHead | null;
  #sha256: string | undefined;
  #read: Promise<Content<ReadHead | null>> | undefined;

  /** `takeHead`: it came byte for byte as it was sent, so that its bytes tell it from another. */
  constructor(bytes: Uint8Array, takeHead: TakeHead | null) {
    this.#bytes = bytes;
    this.#takeHead = takeHead;
  }

  /** The service has judged it: one that we cannot read has no head, and the digest of its bytes. */
  async content(): Promise<Content<ReadHead | null>> {
    if (!this.#takeHead) return this.#contentOfAnySpelling();
    const sha256 = this.#ofBytes();
    return { head: this.#takeHead(sha256) ?? (await this.#head()), sha256 };
  }

  /**
   * Whether this digest, if any, was told of the document by either reading: the service may have moved into another process since, or out of
   * it. Where both are asked, ask this first.
   */
  async isSame(sha256: string | null | undefined): Promise<boolean> {
    if (!sha256) return false;
    const isOfBytes = this.#bytes.length <= LONG_BYTES && sha256 === this.#ofBytes();
    return isOfBytes || sha256 === (await this.#contentOfAnySpelling()).sha256;
  }

  async #head(): Promise<ReadHead | null> {
    const read = await this.#read;
    return read ? read.head : inspect(this.#bytes).catch(() => null);
  }

  #ofBytes(): string {
    this.#sha256 ??= hash('sha256', this.#bytes);
    return this.#sha256;
  }

  #contentOfAnySpelling(): Promise<Content<ReadHead | null>> {
    this.#read ??= inspectContent(this.#bytes).catch(() => ({ head: null, sha256: this.#ofBytes() }));
    return this.#read;
  }
}
