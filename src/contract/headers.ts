// Names of the headers that the contract gives a meaning to, and the media types of its two notations.

export const HEADER = {
  idempotencyKey: 'idempotency-key',
  integrationId: 'integrationid',
  retryAfter: 'retry-after',
  rateLimit: 'ratelimit-limit',
  rateRemaining: 'ratelimit-remaining',
  rateReset: 'ratelimit-reset',
  ratePolicy: 'ratelimit-policy',
  prefer: 'prefer',
  preferenceApplied: 'preference-applied',
  /** Ours: the core that answers rings for all that is new; which core it is. */
  rings: 'dropgate-rings',
} as const;

export type Notation = 'json' | 'xml';

export const MEDIA_TYPE: Readonly<Record<Notation, string>> = { json: 'application/json', xml: 'application/xml' };

/** Specification, Common parameters of create endpoints. */
export const IDEMPOTENCY_KEY = /^[\w.:@+-]{8,255}$/;

/** The notation of a Content-Type; undefined when it is neither. `text/xml` counts as XML (decisions A3). */
export function notationOf(contentType: string | undefined): Notation | undefined {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === MEDIA_TYPE.json) return 'json';
  return type === MEDIA_TYPE.xml || type === 'text/xml' ? 'xml' : undefined;
}

/** What an Accept header selects: the notation with the higher weight; JSON when it says nothing, or names neither. */
export function acceptedNotation(accept: string | undefined): Notation {
  let best: { notation: Notation; weight: number } = { notation: 'json', weight: 0 };
  for (const range of (accept ?? '').split(',')) {
    const notation = notationOf(range);
    const weight = Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1);
    if (notation && weight > best.weight) best = { notation, weight };
  }
  return best.notation;
}

/** RFC 7240: a client that needs no documents in the answer of a read endpoint. */
export const MINIMAL = 'return=minimal';

export function prefersMinimal(prefer = ''): boolean {
  return prefer.split(',').some((preference) => preference.trim().toLowerCase() === MINIMAL);
}
