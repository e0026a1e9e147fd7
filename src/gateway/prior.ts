// Look before you post: does the service have this document already? Asked when an earlier attempt's outcome is not known.
import { parseList } from '#contract/envelopes.ts';
import { AppError } from '#domain/error.ts';
import { familyNamed, isFamilyName } from '#domain/family.ts';
import type { CoreClient } from './core-client.ts';
import type { Item, ItemHead } from './ledger/items.ts';
import { lookInto } from './look.ts';

const LOOK_LIMIT = 100;

export type Prior =
  | { readonly kind: 'none' }
  | { readonly kind: 'same'; readonly integrationId: string }
  /** The document id is taken by other content, for the same receiver. */
  | { readonly kind: 'other'; readonly integrationId: string };

/** Looks for the document under its id. Throws `internal` when the service gives no usable answer. */
export async function findPrior(client: CoreClient, item: Item, head: ItemHead, bytes: Uint8Array): Promise<Prior> {
  const family = familyOf(head);
  const query = { documentId: head.documentId, includeRead: true, limit: LOOK_LIMIT };
  const answer = await client.list(item.accountRegNo, family, 'outgoing', query, 'json');
  if (answer.status === 204) return { kind: 'none' };
  const list = answer.status === 200 ? parseList(family, answer.body) : undefined;
  if (!list) throw new AppError('internal', `the service answered ${answer.status} when it was asked for document ${head.documentId}`);
  let other: Prior = { kind: 'none' };
  for (const { integrationId } of list) {
    const prior = await comparePrior(client, item, head, bytes, integrationId);
    if (prior.kind === 'same') return prior;
    if (prior.kind === 'other') other = prior;
  }
  return other;
}

/** Compares with one stored message; `none` when it went to another receiver or is not there. Throws `internal`. */
export async function comparePrior(
  client: CoreClient,
  item: Item,
  head: ItemHead,
  bytes: Uint8Array,
  integrationId: string,
): Promise<Prior> {
  const answer = await client.list(item.accountRegNo, familyOf(head), 'outgoing', { integrationId, includeRead: true }, 'xml');
  if (answer.status === 204) return { kind: 'none' };
  if (answer.status !== 200)
    throw new AppError('internal', `the service answered ${answer.status} when it was asked for message ${integrationId}`);
  const stored = await lookInto(answer.body);
  if (stored.head.documentId !== head.documentId || stored.head.receiver !== head.receiver) return { kind: 'none' };
  const same = answer.body.equals(bytes) || stored.sha256 === (await lookInto(bytes)).sha256;
  return { kind: same ? 'same' : 'other', integrationId };
}

function familyOf(head: ItemHead) {
  if (!isFamilyName(head.family)) throw new AppError('internal', `no family ${head.family}`);
  return familyNamed(head.family);
}
