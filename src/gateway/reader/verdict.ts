// The verdict on the bytes of a dropped file, by what can be known here: what it is, on whose behalf it is sent, and the rules that it breaks.
import { hash } from 'node:crypto';
import type { Notation } from '#contract/headers.ts';
import { dayOf } from '#domain/day.ts';
import type { Finding } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { Item, ItemHead } from '#gateway/model/item.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import { contradicted, headless, unreadable, unsound, wrongSender } from '#gateway/model/receipt-sentences.ts';
import type { JudgedHead, Judgement } from '#rules/judged-head.ts';
import type { ReadHead } from '#ubl/head.ts';
import { sniff } from '#ubl/sniff.ts';
import { saysWhatIsWrong } from './inspect.ts';
import { readBeside } from './pool.ts';
import type { Reading } from './reading.ts';

/** What is sent. */
export interface Document {
  readonly bytes: Uint8Array;
  readonly notation: Notation;
  readonly sha256: string;
}

export interface VerdictParts {
  readonly accounts: Pick<Accounts, 'ownerOf'>;
  readonly inspect: Reading['inspect'];
  readonly clock: { now(): number };
}

/** As far as its verdict goes by how it was dropped. */
type Dropped = Pick<Item, 'home' | 'accountRegNo' | 'sha256'>;

/** Why bytes cannot be sent; the head is null when it cannot be read. */
export interface Refusal {
  readonly head: ReadHead | null;
  readonly outcome: Outcome;
}

/** A document whose head can be read, and on whose behalf it is sent. */
interface Owned {
  readonly head: ReadHead;
  /** By the rules, where these very bytes were judged while they were read. */
  readonly judgement: Judgement | null;
  readonly accountRegNo: string;
}

/** What the bytes are, and whose. */
export async function ownedBy(parts: VerdictParts, dropped: Dropped, bytes: Buffer): Promise<Owned | Refusal> {
  const inspected = await inspectWith(parts.inspect, bytes, dropped.sha256);
  if (inspected instanceof AppError) {
    const outcome =
      inspected.code === 'invalid' ? headless(inspected, await brokenBeside(bytes, dayOf(parts.clock.now()))) : unreadable(inspected);
    return { head: null, outcome };
  }
  const { judgement = null, ...head } = inspected;
  const accountRegNo = await parts.accounts.ownerOf(dropped, head.sender);
  return typeof accountRegNo === 'string' ? { head, judgement, accountRegNo } : { head, outcome: wrongSender(head, accountRegNo) };
}

/** What of them is sent: they themselves, or the document in their envelope. */
export async function documentOf({ sha256 }: Pick<Dropped, 'sha256'>, bytes: Buffer, seen: Seen): Promise<Document | Outcome> {
  if (!seen.enveloped) return { bytes, notation: seen.notation, sha256 };
  try {
    const { document, sender, receiver } = await readBeside('unwrap', { bytes });
    // The service goes by the document. Where the header says otherwise, one of them is wrong, and nobody can tell which.
    if ((sender ?? seen.sender) !== seen.sender || (receiver ?? seen.receiver) !== seen.receiver) {
      return contradicted({ sender, receiver }, seen);
    }
    return { bytes: document, notation: 'xml', sha256: hash('sha256', document) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'unreadable') return unreadable(error);
    throw error;
  }
}

type Seen = Pick<ReadHead, 'enveloped' | 'notation' | 'sender' | 'receiver'>;

/** What can be seen of a document whose head is known from an earlier look. */
export function seenAgain(head: ItemHead, bytes: Buffer): Seen {
  return { ...head, enveloped: mayBeEnveloped(bytes), notation: sniff(bytes, true) ?? 'xml' };
}

/** The refusal by our own rules of today; null when none is broken. A judgement of another day is not used. */
export async function brokenRules(
  { clock }: Pick<VerdictParts, 'clock'>,
  { bytes }: Pick<Document, 'bytes'>,
  judgement: Judgement | null,
): Promise<Outcome | null> {
  const day = dayOf(clock.now());
  const findings = judgement?.day === day ? judgement.refusing : await readBeside('judge', { bytes, day });
  return findings.length > 0 ? unsound(findings) : null;
}

/** All of it together; null when nothing speaks against the document. */
export async function verdictOn(parts: VerdictParts, dropped: Dropped, bytes: Buffer): Promise<Refusal | null> {
  const owned = await ownedBy(parts, dropped, bytes);
  if ('outcome' in owned) return owned;
  const document = await documentOf(dropped, bytes, owned.head);
  const outcome = 'stage' in document ? document : await brokenRules(parts, document, owned.judgement);
  return outcome && { head: owned.head, outcome };
}

/**
 * What refuses a document by the rules of a day (`YYYY-MM-DD`), also where its head lacks something: its sender should have to repair it once. Nothing
 * where they cannot be asked.
 */
export async function brokenBeside(bytes: Buffer, day: string): Promise<readonly Finding[]> {
  try {
    const document = mayBeEnveloped(bytes) ? (await readBeside('unwrap', { bytes })).document : bytes;
    return await readBeside('judge', { bytes: document, day });
  } catch {
    return [];
  }
}

const BEGINNING_BYTES = 4_096;

/** Looked at again when it is: a document that only speaks of envelopes is one all the same. */
function mayBeEnveloped(bytes: Buffer): boolean {
  return bytes.subarray(0, BEGINNING_BYTES).toString('latin1').replaceAll('\0', '').includes('StandardBusinessDocument');
}

/** The head, or what is wrong with the document. */
async function inspectWith(inspect: Reading['inspect'], bytes: Uint8Array, sha256: string): Promise<JudgedHead | AppError> {
  try {
    return await inspect(bytes, sha256);
  } catch (error) {
    if (saysWhatIsWrong(error)) return error;
    throw error;
  }
}
