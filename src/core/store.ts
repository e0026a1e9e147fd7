// Storing a message, or the next version of one, with what its subscribers are told; and putting a document among the incoming ones.

import {
  findCollision,
  insertMessage,
  type MessageEvent,
  type MessageRow,
  type NewMessage,
  replaceMessage,
  type Version,
} from '#core/ledger/messages.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { recordEvents } from '#core/webhooks/events.ts';
import type { Direction } from '#domain/account.ts';
import type { Context } from './context.ts';
import { newTimedUuid } from './uuid.ts';

type StoreParts = Pick<Context, 'random'>;

/** How far an outgoing document gets in the transaction that stores it: all the way within one core, and only as far as the outbox else. */
export type Way = 'local' | 'network';

/** Stores a message, or the next version of it, and what its subscribers are told. Returns the webhooks to ring for. */
export async function put(
  rows: Rows,
  { random }: StoreParts,
  message: NewMessage,
  existing: MessageRow | undefined,
  nowMs: number,
): Promise<string[]> {
  const times = existing ? await replaceMessage(rows, existing, message, nowMs) : await insertMessage(rows, message, nowMs);
  return recordEvents(rows, random, { ...message, ...times }, message.events, nowMs);
}

/** What an account got. */
export interface Delivered {
  readonly integrationId: string;
  /** It replaced nothing. */
  readonly isNew: boolean;
  /** To ring for after the commit. */
  readonly webhooks: readonly string[];
}

/** Puts the document among the incoming ones of an account of this core; what it had under the same identity is replaced. */
export async function deliver(
  rows: Rows,
  parts: StoreParts,
  accountRegNo: string,
  sent: Pick<Version, 'head' | 'content'>,
  nowMs: number,
): Promise<Delivered> {
  const { head, content } = sent;
  const existing = await findCollision(rows, accountRegNo, 'incoming', head);
  const integrationId = existing?.integration_id ?? newTimedUuid(parts.random, nowMs);
  const events = eventsOf('incoming', existing !== undefined, 'local');
  const message = { head, content, events, integrationId, accountRegNo, direction: 'incoming' } as const;
  return { integrationId, isNew: existing === undefined, webhooks: await put(rows, parts, message, existing, nowMs) };
}

export function eventsOf(direction: Direction, again: boolean, way: Way): readonly [...MessageEvent[], MessageEvent] {
  const event = again ? 'overwritten' : 'created';
  if (direction === 'incoming') return [{ event, status: 'received' }];
  if (way === 'network') return [{ event, status: 'queued' }];
  return [
    { event, status: 'queued' },
    { event: 'status', status: 'sent' },
    { event: 'status', status: 'delivered' },
  ];
}
