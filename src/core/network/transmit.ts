// Hands the transmissions that are owed to the network to the access point, once each, and follows them until their last status is known.

import { writeForFound } from '#core/ledger/found-account.ts';
import { findMessage } from '#core/ledger/messages.ts';
import { insertResponse, type NewResponse } from '#core/ledger/receptions.ts';
import type { Rows } from '#core/ledger/schema.ts';
import {
  claimTransmission,
  endTransmissions,
  selectDueTransmissions,
  settleTransmission,
  type TransmissionRow,
} from '#core/ledger/transmissions.ts';
import { holdFor } from '#core/model/hold.ts';
import { startSweeping } from '#core/model/owed.ts';
import { advance, announceStatus, type Recorded } from '#core/transactions/delivery.ts';
import { askFor } from './ask.ts';
import type { Outcome, TransmitParts } from './attempt.ts';
import { handOver } from './hand-over.ts';
import type { Peppol } from './network.ts';

const AT_ONCE_MAX = 16;
/** Longer than a look-up and a hand-over may last. */
const HELD_MS = 5 * 60_000;
const SWEEP_MAX = 1_000;

/** The work of each state in which there is some. */
const WORK = { waiting: handOver, handed: askFor } as const;

interface TransmittingParts extends TransmitParts {
  /** Of this core. */
  readonly incarnation: string;
}

/** Answers the bell for transmissions, and rings it for all that are due. Dispose to stop. */
export async function startTransmitting(parts: TransmittingParts, peppol: Peppol): Promise<Disposable> {
  const { ledger, clock, log, queue } = parts;

  async function handle(instanceId: string): Promise<void> {
    const hold = holdFor(parts, HELD_MS);
    const row = await ledger.write([], (rows) => claimTransmission(rows, instanceId, hold));
    if (row?.state !== 'waiting' && row?.state !== 'handed') return;
    const outcome = await WORK[row.state](parts, peppol, row);
    await settle(row, outcome);
    const { nextAttemptAt } = outcome.settlement;
    if (nextAttemptAt !== null) queue.ring('transmission', instanceId, nextAttemptAt);
  }

  async function settle(row: TransmissionRow, outcome: Outcome): Promise<void> {
    const { settlement, status } = outcome;
    const find = async (rows: Rows): Promise<string | undefined> => (await findMessage(rows, row.sequence))?.account_reg_no;
    const recorded = await writeForFound(ledger, find, async (rows) => {
      if (!(await settleTransmission(rows, row, settlement))) return null;
      const reported = await report(rows, row, outcome);
      if (settlement.state === 'ended') await endTransmissions(rows, row.sequence, settlement.reason);
      return reported;
    });
    const { state, reason } = settlement;
    const fields = { instanceId: row.instance_id, state, status, reason };
    if (status === 'failed') log.error({ event: 'network.given-up', ...fields });
    else if (reason !== null) log.warn({ event: 'network.postponed', ...fields });
    else log.info({ event: 'network.transmission', ...fields });
    if (recorded) announceStatus(parts, recorded);
  }

  async function report(rows: Rows, row: TransmissionRow, { settlement, status, responseCode }: Outcome): Promise<Recorded | null> {
    const message = status === null ? undefined : await findMessage(rows, row.sequence);
    if (!message || status === null) return null;
    const now = clock.now();
    const response = responseCode === null ? null : await insertResponse(rows, withoutDocument(message.sequence, responseCode), now);
    return advance(rows, parts.random, message, status, now, { reason: settlement.reason, response });
  }

  queue.answer('transmission', AT_ONCE_MAX, handle);
  return startSweeping(parts, 'transmission', () => selectDueTransmissions(ledger.read, clock.now(), SWEEP_MAX));
}

/** A response of which only the code has come. */
function withoutDocument(sequence: number, code: string): NewResponse {
  return { instanceId: '', sequence, kind: 'mls', code, reason: null, findings: [], document: new Uint8Array() };
}
