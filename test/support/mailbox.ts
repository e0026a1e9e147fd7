// The incoming invoices of one account at a scripted service: list, single document, read mark, as the specification has them.
import { randomUUID } from 'node:crypto';
import type { Script, Scripted } from './scripted-service.ts';

interface Stored {
  readonly integrationId: string;
  bytes: Buffer;
  read: boolean;
}

export interface Mailbox {
  readonly script: Script;
  /** A document arrives; returns its integrationId. */
  put(bytes: Uint8Array, integrationId?: string): string;
  /** It is overwritten: other content, unread again. */
  replace(integrationId: string, bytes: Uint8Array): void;
  /** The newest document goes from the list. */
  withdraw(): void;
  markRead(integrationId: string): void;
  isRead(integrationId: string): boolean;
  unread(): number;
  /** Requests so far. */
  lists(): number;
  reads(): number;
  /** Called before each page of the list is answered. */
  onList: () => void;
  /** A larger limit is refused with 400. */
  limitMax: number;
  /** So many answers of the read endpoint are lost after the marks were set. */
  loseReads: number;
}

export function mailbox(): Mailbox {
  const stored: Stored[] = [];
  const count = { lists: 0, reads: 0 };
  const of = (integrationId: string): Stored => {
    const found = stored.find((each) => each.integrationId === integrationId);
    if (!found) throw new Error(`no document ${integrationId}`);
    return found;
  };
  const page = (items: readonly Stored[]): Scripted =>
    items.length === 0
      ? { status: 204 }
      : {
          status: 200,
          body: {
            status: 'success',
            data: items.map(({ integrationId, bytes }) => ({ Invoice: { Note: bytes.toString('base64') }, integrationId })),
          },
        };

  const box: Mailbox = {
    script({ path, query, headers }) {
      if (!path.includes('/invoices/incoming')) return { status: 204 };
      const limit = Number(query.get('limit') ?? 3);
      if (limit > box.limitMax) return { status: 400, body: { status: 'error', type: 'E_BAD_REQUEST', data: 'limit' } };
      const id = query.get('integrationId');
      const newest = stored.toReversed().filter(({ integrationId }) => !id || integrationId === id);
      if (path.endsWith('/readinvoices')) {
        count.reads++;
        const taken = newest.filter(({ read }) => !read).slice(0, limit);
        for (const each of taken) each.read = true;
        return box.loseReads-- > 0 ? 'reset' : page(taken);
      }
      if (headers.accept === 'application/xml') {
        const [first] = newest;
        return first
          ? { status: 200, headers: { integrationid: first.integrationId, 'content-type': 'application/xml' }, body: first.bytes }
          : { status: 204 };
      }
      count.lists++;
      box.onList();
      const offset = Number(query.get('offset') ?? 0);
      return page(stored.toReversed().slice(offset, offset + limit));
    },
    put(bytes, integrationId = randomUUID()) {
      stored.push({ integrationId, bytes: Buffer.from(bytes), read: false });
      return integrationId;
    },
    replace: (integrationId, bytes) => void Object.assign(of(integrationId), { bytes: Buffer.from(bytes), read: false }),
    withdraw: () => void stored.pop(),
    markRead: (integrationId) => void Object.assign(of(integrationId), { read: true }),
    isRead: (integrationId) => of(integrationId).read,
    unread: () => stored.filter(({ read }) => !read).length,
    lists: () => count.lists,
    reads: () => count.reads,
    onList: () => {},
    limitMax: 1_000,
    loseReads: 0,
  };
  return box;
}
