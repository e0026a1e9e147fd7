// Stores a message, or its next version, with the events for its subscribers; and delivers a document to a receiver of this core.

import { v7 } from 'uuid';
import { writeEvents } from '#core/events/events.ts';
import { type ListEnd, newestOfList } from '#core/ledger/message-lists.ts';
import {
  findCollision,
  insertMessage,
  type MessageEvent,
  type MessageRow,
  type NewMessage,
  replaceMessage,
  timesOfFirst,
  timesOfNext,
} from '#core/ledger/messages.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { deleteTaken, findTaken, originDigest, type Taken } from '#core/ledger/taken.ts';
import { type Subscriber, selectSubscribers } from '#core/ledger/webhooks.ts';
import type { Direction } from '#domain/account.ts';
import { type DocumentHead, fatal, refusedFor } from '#domain/document.ts';
import type { Random } from '#domain/id.ts';
import { pipelined } from '#engines/pipelined.ts';

/** An outgoing document is delivered in the transaction that stores it (`local`), or waits for the network. */
type Route = 'local' | 'network';

/** The list that a document goes into, as it stands. */
export interface List {
  readonly accountRegNo: string;
  readonly direction: Direction;
  /** The message of the same document. */
  readonly existing: MessageRow | undefined;
  /** The same document where its message is not kept any more. */
  readonly taken: Taken | undefined;
  readonly newest: ListEnd;
  /** Of its account. */
  readonly subscribers: readonly Subscriber[];
}

export async function readList(rows: Rows, accountRegNo: string, direction: Direction, head: DocumentHead): Promise<List> {
  const [earlier, newest, subscribers] = await pipelined(
    findEarlier(rows, accountRegNo, direction, head),
    newestOfList(rows, { accountRegNo, direction, family: head.family }),
    selectSubscribers(rows, accountRegNo),
  );
  return { accountRegNo, direction, ...earlier, newest, subscribers };
}

/** The same document, as a message or as what is remembered of one; at the most one of them. */
export async function findEarlier(rows: Rows, accountRegNo: string, direction: Direction, head: DocumentHead): Promise<Earlier> {
  const [existing, taken] = await pipelined(
    findCollision(rows, accountRegNo, direction, head),
    findTaken(rows, accountRegNo, direction, head),
  );
  return { existing, taken };
}

export type Earlier = Pick<List, 'existing' | 'taken'>;

/** The identity that a replacement of it goes on with; undefined for a document that is new here. */
export function earlierId({ existing, taken }: Earlier): string | undefined {
  return existing?.integration_id ?? taken?.integrationId;
}

/** Stores a message, or its next version, and the events for its subscribers. Returns the webhooks to ring for. */
export async function put(
  rows: Rows,
  random: Random,
  { accountRegNo, direction, existing, taken, newest, subscribers }: List,
  stored: Omit<NewMessage, 'accountRegNo' | 'direction'>,
  nowMs: number,
): Promise<string[]> {
  const message = { ...stored, accountRegNo, direction };
  const times = existing ? timesOfNext(existing, nowMs) : timesOfFirst(newest, nowMs);
  const [, webhooks] = await pipelined(
    existing
      ? replaceMessage(rows, existing, message, times, nowMs)
      : insertMessage(rows, message, { position: newest.position + 1, version: (taken?.version ?? 0) + 1 }, times, nowMs),
    writeEvents(rows, random, { subject: { ...message, ...times }, subscribers }, message.events, nowMs),
    taken && deleteTaken(rows, taken),
  );
  return webhooks;
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
  list: List,
  { head, content, origin }: Pick<NewMessage, 'head' | 'content' | 'origin'>,
  nowMs: number,
): Promise<Delivered> {
  checkOrigin(head, list, origin);
  const earlier = earlierId(list);
  const integrationId = earlier ?? v7({ msecs: nowMs, random: random(16) });
  const events = eventsOf('incoming', earlier !== undefined, 'local');
  const webhooks = await put(rows, random, list, { head, content, origin, events, integrationId }, nowMs);
  return { integrationId, isNew: earlier === undefined, webhooks };
}

/** Throws `invalid`, without details of the stored document, when its replacement comes from another origin. */
export function checkOrigin(
  { family, documentId, sender, receiver }: DocumentHead,
  { existing, taken }: Earlier,
  from: string | null,
): void {
  if (existing ? existing.origin === from : !taken || taken.origin === originDigest(from)) return;
  const message = `${family} ${documentId} from ${sender} is at ${receiver} already, and came from elsewhere: only its sender, by the way that it came, can replace it. Nothing was stored: give the document another number.`;
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
