// What the stand-in holds: documents of accounts in both directions, as the specification has them, and how often each was taken in.
import { randomUUID } from 'node:crypto';
import type { TransactionQuery } from '#contract/routes.ts';
import type { Direction } from '#domain/account.ts';
import { dayOf } from '#domain/day.ts';
import type { FamilyName } from '#domain/family.ts';
import type { Clock } from '#runtime/clock.ts';
import { readDocument } from '#ubl/document.ts';
import { headOfTree } from '#ubl/head.ts';
import type { Notation } from '#ubl/sniff.ts';
import { writeXml } from '#ubl/write.ts';
import { jsonOf } from '#ubl/write-json.ts';

export interface Held {
  readonly integrationId: string;
  readonly accountRegNo: string;
  readonly direction: Direction;
  readonly family: FamilyName;
  readonly documentId: string;
  readonly sender: string;
  readonly receiver: string;
  readonly createdAt: number;
  bytes: Uint8Array;
  notation: Notation;
  updatedAt: number;
  /** Lists show it from then on. */
  visibleAt: number;
  readAt: number | null;
  status: string;
  /** How often it was taken in: once, and once more for each overwrite. */
  taken: number;
}

export interface Place {
  readonly accountRegNo: string;
  readonly direction: Direction;
}

export interface Holding {
  /** Oldest first. */
  readonly all: readonly Held[];
  /** Reads the head of a document. Throws `unreadable`, `invalid`. */
  identify(bytes: Uint8Array): Identity;
  /** The one with the same document id and receiver. */
  find(place: Place, identity: Identity): Held | undefined;
  put(place: Place, identity: Identity, bytes: Uint8Array, visibleAt?: number): Held;
  replace(held: Held, bytes: Uint8Array): void;
  /** Lists show it first from now on. */
  relist(held: Held): void;
  /** Takes it away, as if it had never been. */
  remove(held: Held): void;
  /** Newest first, by the filters of the query; `unread` leaves out what has been read. */
  select(place: Place, family: FamilyName, query: TransactionQuery, unread: boolean): Held[];
}

export interface Identity {
  readonly family: FamilyName;
  readonly documentId: string;
  readonly sender: string;
  readonly receiver: string;
  readonly notation: Notation;
}

export function openHolding(clock: Clock): Holding {
  const all: Held[] = [];
  /** By account, direction, family, document id and receiver. */
  const byName = new Map<string, Held>();
  const nameOf = ({ accountRegNo, direction }: Place, { family, documentId, receiver }: Identity): string =>
    [accountRegNo, direction, family, documentId, receiver].join('\n');

  return {
    all,
    identify(bytes) {
      const { root, notation } = readDocument(bytes);
      const { family, documentId, sender, receiver } = headOfTree(root);
      return { family, documentId, sender, receiver, notation };
    },
    find: (place, identity) => byName.get(nameOf(place, identity)),
    put({ accountRegNo, direction }, identity, bytes, visibleAt = 0) {
      const now = clock.now();
      const held: Held = {
        ...identity,
        integrationId: randomUUID(),
        accountRegNo,
        direction,
        bytes,
        createdAt: now,
        updatedAt: now,
        visibleAt,
        readAt: null,
        status: direction === 'outgoing' ? 'queued' : 'received',
        taken: 1,
      };
      all.push(held);
      byName.set(nameOf(held, held), held);
      return held;
    },
    replace(held, bytes) {
      held.bytes = bytes;
      held.notation = readDocument(bytes).notation;
      held.updatedAt = clock.now();
      held.readAt = null;
      held.taken++;
    },
    relist(held) {
      all.push(...all.splice(all.indexOf(held), 1));
    },
    remove(held) {
      all.splice(all.indexOf(held), 1);
      byName.delete(nameOf(held, held));
    },
    select(place, family, query, unread) {
      const now = clock.now();
      const updatedAtTo = query.updatedAtTo ?? (query.updatedAtFrom === undefined ? undefined : dayOf(now));
      return all
        .filter(
          (held) =>
            held.accountRegNo === place.accountRegNo &&
            held.direction === place.direction &&
            held.family === family &&
            held.visibleAt <= now &&
            !(unread && held.readAt !== null) &&
            is(query.integrationId, held.integrationId) &&
            is(query.documentId, held.documentId) &&
            within(query.from, held.createdAt, query.to) &&
            within(query.updatedAtFrom, held.updatedAt, updatedAtTo),
        )
        .reverse();
    },
  };
}

const is = (wanted: string | undefined, value: string): boolean => !wanted || wanted === value;

/** Days, both ends included. */
function within(from: string | undefined, atMs: number, to: string | undefined): boolean {
  if (!from && !to) return true;
  const day = dayOf(atMs);
  return (!from || day >= from) && (!to || day <= to);
}

export function xmlOf({ notation, bytes }: Held): Uint8Array {
  return notation === 'xml' ? bytes : writeXml(readDocument(bytes).root);
}

/** Lists are asked for again and again. */
const jsonTexts = new WeakMap<Uint8Array, string>();

export function jsonTextOf({ bytes }: Held): string {
  const text = jsonTexts.get(bytes) ?? jsonOf(readDocument(bytes).root);
  jsonTexts.set(bytes, text);
  return text;
}
