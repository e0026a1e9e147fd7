// Stores a message, or its next version, with the events for its subscribers; and delivers a document to a receiver of this core.

import { v7 } from 'uuid';
import { recordEvents } from '#core/events/events.ts';
import {
  findCollision,
  insertMessage,
  type MessageEvent,
  type MessageRow,
  type NewMessage,
  replaceMessage,
} from '#core/ledger/messages.ts';
import type { Rows } from '#core/ledger/schema.ts';
import type { Direction } from '#domain/account.ts';
import { fatal, refusedFor } from '#domain/document.ts';
import type { Random } from '#domain/id.ts';

/** An outgoing document is delivered in the transaction that stores it (`local`), or waits for the network. */
export type Route = 'local' | 'network';

/** Stores a message, or its next version, and the events for its subscribers. Returns the webhooks to ring for. */
export async function put(
  rows: Rows,
  random: Random,
  message: NewMessage,
  existing: MessageRow | undefined,
  nowMs: number,
): Promise<string[]> {
  const times = existing ? await replaceMessage(rows, existing, message, nowMs) : await insertMessage(rows, message, nowMs);
  return recordEvents(rows, random, { ...message, ...times }, message.events, nowMs);
}

/** A message that an account received. */
export interface Delivered {
  readonly integrationId: string;
  /** It replaced nothing. */
  readonly isNew: boolean;
  /** To ring for after the commit. */
  readonly webhooks: readonly string[];
}

/**
 * Puts a document among the incoming ones of an account of this core. It replaces a message of the same identity and origin; throws
 * `invalid` when the origin differs.
 */
export async function deliver(
  rows: Rows,
  random: Random,
  accountRegNo: string,
  sent: Pick<NewMessage, 'head' | 'content' | 'origin'>,
  nowMs: number,
): Promise<Delivered> {
  const { head, content, origin } = sent;
  const existing = await findCollision(rows, accountRegNo, 'incoming', head);
  if (existing) checkOrigin(existing, origin);
  const integrationId = existing?.integration_id ?? v7({ msecs: nowMs, random: random(16) });
  const events = eventsOf('incoming', existing !== undefined, 'local');
  const message = { head, content, origin, events, integrationId, accountRegNo, direction: 'incoming' } as const;
  return { integrationId, isNew: existing === undefined, webhooks: await put(rows, random, message, existing, nowMs) };
}

/** Throws `invalid`, without details of the stored document, when its replacement comes from another origin. */
export function checkOrigin({ family, document_id, sender, receiver, origin }: MessageRow, from: string | null): void {
  if (origin === from) return;
  const message = `${family} ${document_id} from ${sender} is at ${receiver} already, and came from elsewhere: only its sender, by the way that it came, can replace it. Nothing was stored: give the document another number.`;
  throw refusedFor([fatal('origin', message)]);
}

export function eventsOf(direction: Direction, again: boolean, route: Route): readonly [...MessageEvent[], MessageEvent] {
  const event = again ? 'overwritten' : 'created';
  if (direction === 'incoming') return [{ event, status: 'received' }];
  if (route === 'network') return [{ event, status: 'queued' }];
  return [
    { event, status: 'queued' },
    { event: 'status', status: 'sent' },
    { event: 'status', status: 'delivered' },
  ];
}
