// The examination of an item before it is sent: are the bytes those that were received, and what are they? (submit-and-poll.md, step 2)
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Notation } from '#contract/headers.ts';
import { dayOf } from '#domain/day.ts';
import type { Finding } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { spooledPath } from '#gateway/disk/spool-files.ts';
import type { PartyBook } from '#gateway/ledger/parties.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { Item, ItemHead } from '#gateway/model/item.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import {
  changedOnDisk,
  contradicted,
  headless,
  tooLarge,
  unnamed,
  unreadable,
  unsound,
  vanished,
  wrongSender,
} from '#gateway/model/receipt-sentences.ts';
import { readBytes, saysWhatIsWrong } from '#gateway/reader/inspect.ts';
import { readBeside } from '#gateway/reader/pool.ts';
import type { Reading } from '#gateway/reader/reading.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { ReadHead } from '#ubl/head.ts';
import { sniff } from '#ubl/sniff.ts';

/** What is sent. */
export interface Document {
  readonly bytes: Uint8Array;
  readonly notation: Notation;
  readonly sha256: string;
}

export interface Examined {
  /** On whose behalf it is sent is known from now on. */
  readonly item: Item;
  readonly head: ItemHead;
  /** Null when the head was known from an earlier try, so that nothing had to be read yet. */
  readonly document: Document | null;
}

/** What cannot be sent, and the outcome that ends it at once. */
export interface Unfit {
  readonly item: Item;
  /** Null when it cannot be read. */
  readonly head: ItemHead | null;
  readonly outcome: Outcome;
}

/** In a home of several accounts its sender has told whose it is: it has its turn with that one's. */
export interface Sorted {
  readonly accountRegNo: string;
}

export interface ExamineParts {
  readonly data: string;
  readonly accounts: Pick<Accounts, 'ownerOf' | 'find'>;
  /** Bytes of a document at the most. */
  readonly limits: { readonly fileMax: number };
  readonly inspect: Reading['inspect'];
  readonly parties: Pick<PartyBook, 'note'>;
  /** Who judges the documents of an account that has not said: our own rules before they are sent, or the service. */
  readonly validate: 'local' | 'core';
  readonly clock: { now(): number };
}

/**
 * What is to be sent, or the outcome that ends the item at once; or only whose it is, when that is not `expected`, in whose line it stood.
 * An item that was inspected before is not read again.
 */
export async function examine(parts: ExamineParts, item: Item, expected: string): Promise<Examined | Unfit | Sorted> {
  if (item.head) return { item, head: item.head, document: null };
  const unfit = (outcome: Outcome, head: ItemHead | null = null): Unfit => ({ item, head, outcome });
  if (item.mode === 'unnamed') return unfit(unnamed());
  const { fileMax } = parts.limits;
  if (item.size > fileMax) return unfit(tooLarge(item.size, fileMax));
  const bytes = await readSpooled(parts, item);
  if ('stage' in bytes) return unfit(bytes);
  const head = await inspectWith(parts.inspect, bytes, item.sha256);
  if (head instanceof AppError) return unfit(head.code === 'invalid' ? headless(head, await judged(parts, bytes)) : unreadable(head));
  parts.parties.note(head);
  const accountRegNo = await parts.accounts.ownerOf(item, head.sender);
  if (typeof accountRegNo !== 'string') return unfit(wrongSender(head, accountRegNo), head);
  if (accountRegNo !== expected) return { accountRegNo };
  const own = { ...item, accountRegNo };
  const document = await documentOf(own, bytes, head);
  if ('stage' in document) return unfit(document, head);
  if ((parts.accounts.find(accountRegNo)?.validate ?? parts.validate) === 'local') {
    const findings = await readBeside('judge', { bytes: document.bytes, day: dayOf(parts.clock.now()) });
    if (findings.length > 0) return { item: own, head, outcome: unsound(findings) };
  }
  return { item: own, head, document };
}

/** The document of an item that was examined before, or the outcome that ends it: its bytes are not those that were received, or not there. */
export async function readDocument(parts: ExamineParts, item: Item & { readonly head: ItemHead }): Promise<Document | Outcome> {
  const bytes = await readSpooled(parts, item);
  if ('stage' in bytes) return bytes;
  const { head } = item;
  return documentOf(item, bytes, { ...head, enveloped: mayBeEnveloped(bytes), notation: sniff(bytes, true) ?? 'xml' });
}

type Seen = Pick<ReadHead, 'enveloped' | 'notation' | 'sender' | 'receiver'>;

/** What is sent of the bytes that were dropped: they themselves, or the document in their envelope. */
async function documentOf({ sha256 }: Item, bytes: Buffer, seen: Seen): Promise<Document | Outcome> {
  if (!seen.enveloped) return { bytes, notation: seen.notation, sha256 };
  try {
    const { document, sender, receiver } = await readBeside('unwrap', { bytes });
    // The service goes by the document. Where the header says otherwise, one of them is wrong, and nobody can tell which.
    if ((sender ?? seen.sender) !== seen.sender || (receiver ?? seen.receiver) !== seen.receiver) {
      return contradicted({ sender, receiver }, seen);
    }
    return { bytes: document, notation: 'xml', sha256: createHash('sha256').update(document).digest('hex') };
  } catch (error) {
    if (error instanceof AppError && error.code === 'unreadable') return unreadable(error);
    throw error;
  }
}

/**
 * What the rules say of a document whose head lacks something: its sender should have to repair it once. Nothing where they cannot be
 * asked; the head's own findings refuse it all the same.
 */
async function judged({ clock }: ExamineParts, bytes: Buffer): Promise<readonly Finding[]> {
  try {
    const document = mayBeEnveloped(bytes) ? (await readBeside('unwrap', { bytes })).document : bytes;
    return await readBeside('judge', { bytes: document, day: dayOf(clock.now()) });
  } catch {
    return [];
  }
}

const BEGINNING_BYTES = 4_096;

/** Looked at again when it is: a document that only speaks of envelopes is one all the same. */
function mayBeEnveloped(bytes: Buffer): boolean {
  return bytes.subarray(0, BEGINNING_BYTES).toString('latin1').replaceAll('\0', '').includes('StandardBusinessDocument');
}

/** A file that cannot be taken after all has its row for a moment longer than its place. */
const TAKEN_WITHIN_MS = 60_000;

async function readSpooled({ data, clock }: ExamineParts, item: Item): Promise<Buffer | Outcome> {
  try {
    const { bytes, sha256 } = await readBytes(join(data, spooledPath(item)));
    return sha256 === item.sha256 ? bytes : changedOnDisk();
  } catch (error) {
    if (systemCode(error) === 'ENOENT' && clock.now() - item.receivedAt > TAKEN_WITHIN_MS) return vanished();
    throw error;
  }
}

/** The head, or what is wrong with the document. */
async function inspectWith(inspect: Reading['inspect'], bytes: Uint8Array, sha256: string): Promise<ReadHead | AppError> {
  try {
    return await inspect(bytes, sha256);
  } catch (error) {
    if (saysWhatIsWrong(error)) return error;
    throw error;
  }
}
