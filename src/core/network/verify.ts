// Verifies an envelope that the access point has received, before it accepts it: a document that our rules refuse is kept for its receiver,
// and the access point sends the findings to the sender as a message level status.

import type { Examiner } from '#core/examination/examiner.ts';
import type { Judged } from '#core/examination/open.ts';
import { accountOfParticipant, findAccount } from '#core/ledger/accounts.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { boundTurnedAway, deleteTurnedAway, insertTurnedAway } from '#core/ledger/turned-away.ts';
import type { Listeners } from '#core/model/listeners.ts';
import { dayOf } from '#domain/day.ts';
import { type Finding, fatal } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import type { VerifyMode } from '#domain/validation.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

export interface VerifyParts extends Pick<Listeners, 'turnedAway'> {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
  readonly examiner: Pick<Examiner, 'judge'>;
}

/** Documents that are kept of one account at the most, the latest first. */
const KEPT_MAX = { count: 10_000, bytes: 256 * 1024 * 1024 } as const;
/** Characters of a document's own id that are kept. */
const DOCUMENT_ID_CHARACTERS_MAX = 500;
const KEPT_MS = 90 * 24 * 60 * 60_000;

/**
 * The findings of the receiver's side: with a fatal finding, the document is turned away. Throws `rate-limited` and `internal` when it cannot
 * be judged now.
 */
export async function verifyEnvelope(parts: VerifyParts, usual: VerifyMode, bytes: Uint8Array): Promise<readonly Finding[]> {
  const judged = await judgedBy(parts, bytes);
  if (Array.isArray(judged)) return inMode(usual, judged);
  const accountRegNo = await accountOfParticipant(parts.ledger.read, judged.receiver);
  if (accountRegNo === undefined) return findingsWithoutReceiver(parts, usual, judged);
  const account = await findAccount(parts.ledger.read, accountRegNo);
  const own = account?.validation.verify ?? 'default';
  const findings = inMode(own === 'default' ? usual : own, judged.findings);
  if (findings.some(({ severity }) => severity === 'fatal')) await keep(parts, accountRegNo, judged, findings);
  return findings;
}

/** The judgement, or the finding that the bytes are no envelope. */
async function judgedBy({ examiner, clock }: VerifyParts, bytes: Uint8Array): Promise<Judged | Finding[]> {
  try {
    return await examiner.judge({ bytes, day: dayOf(clock.now()) });
  } catch (error) {
    if (!(error instanceof AppError && (error.code === 'unreadable' || error.code === 'invalid'))) throw error;
    return [fatal('envelope', error.message)];
  }
}

/** An access point may have outgoing documents verified, too: these were judged when we took them, by their account's settings. */
async function findingsWithoutReceiver(
  { ledger }: VerifyParts,
  usual: VerifyMode,
  { sender, receiver, isResponse }: Judged,
): Promise<Finding[]> {
  if (isResponse || (await accountOfParticipant(ledger.read, sender)) !== undefined) return [];
  const message = `The receiver ${receiver} is no participant of this service.`;
  return inMode(usual, [{ rule: 'receiver', severity: 'fatal', message, path: '/StandardBusinessDocumentHeader/Receiver/Identifier' }]);
}

function inMode(mode: VerifyMode, findings: readonly Finding[]): Finding[] {
  if (mode === 'off') return [];
  return mode === 'warn' ? findings.map((found) => ({ ...found, severity: 'warning' })) : [...findings];
}

/** Keeps a document that is turned away, before the access point responds to its sender. */
async function keep(
  { ledger, clock, log, turnedAway }: VerifyParts,
  accountRegNo: string,
  judged: Judged,
  findings: readonly Finding[],
): Promise<void> {
  const { instanceId, sender, receiver, document } = judged;
  const what = {
    instanceId,
    accountRegNo,
    sender,
    receiver,
    family: document?.family ?? '',
    documentId: document?.documentId.slice(0, DOCUMENT_ID_CHARACTERS_MAX) ?? '',
  };
  const isNew = await ledger.write([`account ${accountRegNo}`], async (rows) => {
    const row = { ...what, findings: JSON.stringify(findings), document: document?.bytes ?? Buffer.alloc(0) };
    if (!(await insertTurnedAway(rows, row, clock.now()))) return false;
    await boundTurnedAway(rows, accountRegNo, KEPT_MAX);
    return true;
  });
  if (!isNew) return;
  log.error({ event: 'network.turned-away', ...what, findings: findings.length });
  turnedAway(accountRegNo);
}

/** Forgets documents that were turned away long ago. */
export async function forgetTurnedAway({ ledger, clock }: Pick<VerifyParts, 'ledger' | 'clock'>): Promise<void> {
  await ledger.write([], (rows) => deleteTurnedAway(rows, clock.now() - KEPT_MS));
}
