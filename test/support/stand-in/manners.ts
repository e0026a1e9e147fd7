// How the stand-in behaves where the specification leaves it free, and what goes wrong with it. A test may change all of it at any time.
import type { Reply, Scripted, Seen } from '../scripted-service.ts';
import { refusal } from '../scripted-service.ts';

/** One request goes wrong: whether its work is done all the same, and what is answered. */
export interface Fault {
  readonly does: boolean;
  readonly answers: Reply;
}

export interface Manners {
  /** Asked for each request before anything else; undefined: nothing goes wrong. It may wait, and so hold the answer back. */
  fault: (seen: Seen) => Fault | undefined | Promise<Fault | undefined>;
  /** The largest `limit` that it takes; a larger one is answered with 400. */
  limitMax: number;
  /** Answers the first page whatever `offset` says. */
  ignoresOffset: boolean;
  /** Lists what it marks read first from then on, as a service does that goes by the last change of anything. */
  relistsRead: boolean;
  /** Answers a repeated Idempotency-Key with the first answer; otherwise it does not know the header. */
  honoursKeys: boolean;
  /** Answers 409 for a document id and receiver that it has. */
  refusesDuplicates: boolean;
  /** While the key of the create is in flight: what it waits for. */
  working: (seen: Seen) => Promise<void> | void;
  /** What it stores of what it is sent: services add to documents. */
  stores: (bytes: Uint8Array) => Uint8Array;
  /** When lists show what was created now, in milliseconds since 1970. */
  visibleAt: (nowMs: number) => number;
  /** Takes Bearer tokens only on transaction endpoints. */
  wantsTokens: boolean;
}

export function goodManners(): Manners {
  return {
    fault: () => undefined,
    limitMax: 1_000,
    ignoresOffset: false,
    relistsRead: false,
    honoursKeys: true,
    refusesDuplicates: true,
    working: () => undefined,
    stores: (bytes) => bytes,
    visibleAt: (nowMs) => nowMs,
    wantsTokens: false,
  };
}

const page = (status: number, title: string): Scripted => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><head><title>${status} ${title}</title></head><body><center>nginx</center></body></html>`,
});

/** What goes wrong with services and what stands before them. */
export const FAULTS = {
  /** The request is lost on its way. */
  lostRequest: { does: false, answers: 'reset' },
  /** The work is done, and the answer is lost. */
  lostAnswer: { does: true, answers: 'reset' },
  /** The work is done, and nobody says so. */
  stalledAfter: { does: true, answers: 'silence' },
  stalledBefore: { does: false, answers: 'silence' },
  down: { does: false, answers: page(503, 'Service Unavailable') },
  badGatewayAfter: { does: true, answers: page(502, 'Bad Gateway') },
  gatewayTimeoutAfter: { does: true, answers: page(504, 'Gateway Time-out') },
  internalError: { does: false, answers: refusal(500, 'E_INTERNAL_PROXY_ERROR') },
  proxyBadRequest: { does: false, answers: page(400, 'Bad Request') },
  proxyForbidden: { does: false, answers: page(403, 'Forbidden') },
  proxyTooLarge: { does: false, answers: page(413, 'Request Entity Too Large') },
  proxyRedirect: { does: false, answers: { ...page(302, 'Found'), headers: { location: 'https://login.example/' } } },
  unreadableAnswer: { does: true, answers: { status: 200, body: '{"status":"succ' } },
  slowDown: { does: false, answers: { ...refusal(429, 'E_RATE_LIMITED', { retryAfterSeconds: 7 }), headers: { 'retry-after': '7' } } },
} as const satisfies Readonly<Record<string, Fault>>;
