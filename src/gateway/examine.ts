// The examination of an item before it is sent: are the bytes those that were received, and what are they? (submit-and-poll.md, step 2)
import { join } from 'node:path';
import type { Notation } from '#contract/headers.ts';
import { AppError } from '#domain/error.ts';
import type { ReadHead } from '#ubl/head.ts';
import { sniff } from '#ubl/sniff.ts';
import type { Outcome } from './finish.ts';
import type { Item, ItemHead } from './ledger/items.ts';
import { lookAt, readBytes } from './look.ts';
import { changedOnDisk, tooLarge, unnamed, unreadable, wrongSender } from './outcomes.ts';
import type { Senders } from './senders.ts';
import { spooledPath } from './spool.ts';

export interface Document {
  readonly bytes: Buffer;
  readonly notation: Notation;
}

export interface Examined {
  /** On whose behalf it is sent is known from now on. */
  readonly item: Item;
  readonly head: ItemHead;
  /** Null when the head was known from an earlier look, so that nothing had to be read yet. */
  readonly document: Document | null;
}

/** What cannot be sent, and the outcome that ends it at once. */
export interface Unfit {
  readonly item: Item;
  /** Null when nobody can read what it is. */
  readonly head: ItemHead | null;
  readonly outcome: Outcome;
}

export interface ExamineParts {
  readonly data: string;
  /** Whose documents are sent from which address. */
  readonly senders: () => Senders;
  /** Bytes of a document at the most. */
  readonly fileMax: number;
}

/** What is to be sent, or the outcome that ends the item at once. An item that was looked at before is not read again. */
export async function examine(parts: ExamineParts, item: Item): Promise<Examined | Unfit> {
  if (item.head) return { item, head: item.head, document: null };
  const unfit = (outcome: Outcome, head: ItemHead | null = null): Unfit => ({ item, head, outcome });
  if (item.mode === 'unnamed') return unfit(unnamed());
  if (item.size > parts.fileMax) return unfit(tooLarge(item.size, parts.fileMax));
  const bytes = await readSpooled(parts, item);
  if (!bytes) return unfit(changedOnDisk());
  const head = await look(bytes);
  if (head instanceof AppError) return unfit(unreadable(head));
  const accountRegNo = parts.senders().accountOf(item, head.sender);
  if (typeof accountRegNo !== 'string') return unfit(wrongSender(head, accountRegNo), head);
  return { item: { ...item, accountRegNo }, head, document: { bytes, notation: head.notation } };
}

/** The document of an item that was examined before; null when its bytes have changed since they were received. */
export async function readDocument(parts: ExamineParts, item: Item): Promise<Document | null> {
  const bytes = await readSpooled(parts, item);
  return bytes && { bytes, notation: sniff(bytes, true) ?? 'xml' };
}

async function readSpooled({ data }: ExamineParts, item: Item): Promise<Buffer | null> {
  const { bytes, sha256 } = await readBytes(join(data, spooledPath(item)));
  return sha256 === item.sha256 ? bytes : null;
}

/** The head, or what is wrong with the document. */
async function look(bytes: Uint8Array): Promise<ReadHead | AppError> {
  try {
    return await lookAt(bytes);
  } catch (error) {
    if (error instanceof AppError && (error.code === 'unreadable' || error.code === 'invalid')) return error;
    throw error;
  }
}
