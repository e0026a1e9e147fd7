// The examination of an item before it is sent: are the bytes those that were received, and what are they? (submit-and-poll.md, step 2)
import { join } from 'node:path';
import { spooledPath } from '#gateway/disk/spool-files.ts';
import type { PartyBook } from '#gateway/ledger/parties.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { Item, ItemHead } from '#gateway/model/item.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import { changedOnDisk, tooLarge, unnamed, vanished } from '#gateway/model/receipt-sentences.ts';
import { readBytes } from '#gateway/reader/inspect.ts';
import { brokenRules, type Document, documentOf, ownedBy, seenAgain, type VerdictParts } from '#gateway/reader/verdict.ts';
import { systemCode } from '#runtime/files/system-code.ts';

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
interface Sorted {
  readonly accountRegNo: string;
}

export interface ExamineParts extends VerdictParts {
  readonly data: string;
  readonly accounts: Pick<Accounts, 'ownerOf' | 'find'>;
  /** Bytes of a document at the most. */
  readonly limits: { readonly fileMax: number };
  readonly parties: Pick<PartyBook, 'note'>;
  /** Who judges the documents of an account that has not said: our own rules before they are sent, or the service. */
  readonly validate: 'local' | 'core';
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
  const owned = await ownedBy(parts, item, bytes);
  if (owned.head) parts.parties.note(owned.head);
  if ('outcome' in owned) return unfit(owned.outcome, owned.head);
  const { head, judgement, accountRegNo } = owned;
  if (accountRegNo !== expected) return { accountRegNo };
  const own = { ...item, accountRegNo };
  const document = await documentOf(own, bytes, head);
  if ('stage' in document) return unfit(document, head);
  if ((parts.accounts.find(accountRegNo)?.validate ?? parts.validate) === 'local') {
    const broken = await brokenRules(parts, document, judgement);
    if (broken) return { item: own, head, outcome: broken };
  }
  return { item: own, head, document };
}

/** The document of an item that was examined before, or the outcome that ends it: its bytes are not those that were received, or not there. */
export async function readDocument(parts: ExamineParts, item: Item & { readonly head: ItemHead }): Promise<Document | Outcome> {
  const bytes = await readSpooled(parts, item);
  return 'stage' in bytes ? bytes : documentOf(item, bytes, seenAgain(item.head, bytes));
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
