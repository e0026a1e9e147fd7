// The idempotency key by which a document is posted: made of what is sent, so that it needs no memory.
import { hash } from 'node:crypto';
import { base32 } from '#domain/id.ts';
import type { Item, ItemHead } from '#gateway/model/item.ts';

/**
 * `dg1.` and a digest of what is sent: a crash cannot forget it, and two nodes compute the same one. What is sent `needsOwnKey` must not be answered
 * by a replay, so the item is part of it then.
 */
export function idempotencyKey(
  environment: string,
  item: Pick<Item, 'item' | 'accountRegNo' | 'sha256'> & Pick<ItemHead, 'family'>,
  needsOwnKey: boolean,
): string {
  const parts = [environment, item.accountRegNo, item.family, 'outgoing', item.sha256, ...(needsOwnKey ? [item.item] : [])];
  return `dg1.${base32(hash('sha256', parts.join('\n'), 'buffer'))}`;
}
