// What the thread of long looks is asked, and what it answers.
import type { ErrorCode } from '#domain/error.ts';
import type { ReadHead } from '#ubl/head.ts';

export interface LookRequest {
  readonly bytes: Uint8Array;
  /** Whether the digest of the canonical form is wanted, too. */
  readonly digest: boolean;
}

export interface Looked {
  readonly head: ReadHead;
  /** Empty unless it was asked for. */
  readonly sha256: string;
}

export type LookReply =
  | { readonly kind: 'looked'; readonly looked: Looked }
  | {
      readonly kind: 'failed';
      readonly code: ErrorCode;
      readonly sentence: string;
      readonly facts: Readonly<Record<string, unknown>>;
    };

const KINDS: ReadonlySet<unknown> = new Set<LookReply['kind']>(['looked', 'failed']);

/** Both ends are this program: the kind says it all. */
export function isLookReply(message: unknown): message is LookReply {
  return typeof message === 'object' && message !== null && 'kind' in message && KINDS.has(message.kind);
}

export function isLookRequest(message: unknown): message is LookRequest {
  return typeof message === 'object' && message !== null && 'bytes' in message && 'digest' in message;
}
