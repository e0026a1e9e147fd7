// Look before you post: does the service have this document already? Asked when an earlier attempt's outcome is not known, and when the
// service says that it has one of this id.
import { parseList } from '#contract/envelopes.ts';
import type { TransactionQuery } from '#contract/routes.ts';
import { AppError } from '#domain/error.ts';
import { familyNamed } from '#domain/family.ts';
import type { Item, ItemHead } from '#gateway/model/item.ts';
import { inspectContent } from '#gateway/reader/inspect.ts';
import { readBeside } from '#gateway/reader/pool.ts';
import type { CoreClient } from '#gateway/service/core-client.ts';
import { PAGE_MAX, smallerPage } from '#gateway/service/page-sizes.ts';
import type { Reservation } from '#gateway/service/reservation.ts';
import type { Answer } from '#gateway/service/transport.ts';
import { classifyLook, classOfError, type Decided } from './response.ts';

/** Of one document id: for so many receivers, and as many pages as that takes. */
const LISTED_MAX = 1_000;

export type Existing =
  | { readonly kind: 'none' }
  | { readonly kind: 'same'; readonly integrationId: string }
  /** Ours, and more: the service has added to it. */
  | { readonly kind: 'more'; readonly integrationId: string }
  /** The document id is taken by other content, for the same receiver. */
  | { readonly kind: 'other'; readonly integrationId: string }
  /** The service could not tell. */
  | { readonly kind: 'untold'; readonly response: Decided };

interface LookParts {
  readonly client: Pick<CoreClient, 'list'>;
  readonly clock: { now(): number };
}

interface Wanted {
  readonly item: Pick<Item, 'accountRegNo'>;
  readonly head: ItemHead;
  readonly bytes: Uint8Array;
  readonly reservation: Pick<Reservation, 'look'>;
  /** What the service has under the document's id for other receivers, as far as earlier looks have shown; this one adds to it. */
  readonly others: Set<string>;
}

/** Looks for the document under its id. */
export async function findExisting(parts: LookParts, wanted: Wanted): Promise<Existing> {
  return telling(async () => {
    let other: Existing = { kind: 'none' };
    for (const integrationId of await listed(parts, wanted)) {
      if (wanted.others.has(integrationId)) continue;
      const existing = await compare(parts, wanted, integrationId);
      if (existing.kind === 'same' || existing.kind === 'more') return existing;
      if (existing.kind === 'other') other = existing;
      else wanted.others.add(integrationId);
    }
    return other;
  });
}

/** Compares with one stored message; `none` when it went to another receiver or is not there. */
export async function compareExisting(parts: LookParts, wanted: Wanted, integrationId: string): Promise<Existing> {
  return telling(() => compare(parts, wanted, integrationId));
}

/** An answer from which nothing can be learnt about the document, and what it means for the item. */
class Untold extends Error {
  readonly response: Decided;

  constructor(response: Decided) {
    super('the service could not tell');
    this.response = response;
  }
}

async function telling(look: () => Promise<Existing>): Promise<Existing> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Untold) return { kind: 'untold', response: error.response };
    if (error instanceof AppError) return { kind: 'untold', response: classOfError(error, false) };
    throw error;
  }
}

/** The integrationIds of all that the service has under the document's id. */
async function listed(parts: LookParts, wanted: Wanted): Promise<string[]> {
  const { head } = wanted;
  const family = familyNamed(head.family);
  const found = new Set<string>();
  let limit = PAGE_MAX;
  for (let offset = 0; offset < LISTED_MAX; ) {
    const query: TransactionQuery & { limit: number } = { documentId: head.documentId, includeRead: true, limit, offset };
    const answer = await ask(parts, wanted, query, 'json');
    const smaller = smallerPage(query.limit);
    if (answer.status === 400 && smaller !== undefined) {
      limit = smaller;
      continue;
    }
    if (answer.status === 204) break;
    const list = answer.status === 200 ? parseList(family, answer.body) : undefined;
    if (!list) throw new Untold(classifyLook(answer, parts.clock.now()));
    const before = found.size;
    for (const { integrationId } of list) found.add(integrationId);
    // A service that repeats its list does not know offsets.
    if (found.size === before) break;
    offset += list.length;
  }
  return [...found];
}

async function compare(parts: LookParts, wanted: Wanted, integrationId: string): Promise<Existing> {
  const { head, bytes } = wanted;
  const answer = await ask(parts, wanted, { integrationId, includeRead: true }, 'xml');
  if (answer.status === 204) return { kind: 'none' };
  if (answer.status !== 200) throw new Untold(classifyLook(answer, parts.clock.now()));
  const stored = await inspectContent(answer.body);
  if (stored.head.documentId !== head.documentId || stored.head.receiver !== head.receiver) return { kind: 'none' };
  if (answer.body.equals(bytes) || stored.sha256 === (await inspectContent(bytes)).sha256) return { kind: 'same', integrationId };
  return { kind: (await readBeside('contains', { ours: bytes, theirs: answer.body })) ? 'more' : 'other', integrationId };
}

async function ask(
  { client }: LookParts,
  { item, head, reservation }: Wanted,
  query: TransactionQuery,
  notation: 'json' | 'xml',
): Promise<Answer> {
  const waitMs = await reservation.look();
  if (waitMs > 0) throw new Untold({ kind: 'short', waitMs });
  return client.list(item.accountRegNo, familyNamed(head.family), 'outgoing', query, notation);
}
