// One try to hand a transmission over: asked for, if an earlier try may have got through; looked up, if that is still owed; sent.
import { xmlOf } from '#core/document.ts';
import { profileOf } from '#core/ledger/accounts.ts';
import { headOf } from '#core/ledger/messages.ts';
import { type Load, selectLoad, type TransmissionRow } from '#core/ledger/transmissions.ts';
import { AppError } from '#domain/error.ts';
import { outcomeOf } from './ask.ts';
import { type Outcome, reasonOf, type TransmitParts } from './attempt.ts';
import { writeEnvelope } from './envelope.ts';
import { exchangeOf } from './identifiers.ts';
import type { Peppol } from './network.ts';
import { nextQuestionAt, nextTryAt } from './schedule.ts';

/** Never throws. */
export async function handOver(parts: TransmitParts, peppol: Peppol, row: TransmissionRow): Promise<Outcome> {
  const { ledger, clock, log } = parts;
  let found = row.found === 1;
  try {
    const load = await selectLoad(ledger.read, row);
    const exchange = exchangeOf(headOf(load.message));
    // Before anybody says that the receiver is not there: what got through has not failed.
    if (row.attempts > 1) {
      const progress = await peppol.accessPoint.status(row.instance_id);
      if (progress.state !== 'unknown') return outcomeOf(parts, peppol, { ...row, attempts: 0 }, progress);
    }
    if (!found) await peppol.lookup(exchange);
    found = true;
    const meta = { ...exchange, instanceId: row.instance_id, country: countryOf(load, peppol) };
    const envelope = writeEnvelope({ ...meta, createdAtMs: row.created_at }, xmlOf(load.content));
    const accessPointId = await peppol.accessPoint.send(envelope, meta);
    return handed(parts, accessPointId);
  } catch (error) {
    if (!(error instanceof AppError)) log.error({ event: 'network.try-failed', instanceId: row.instance_id, err: error });
    const certain = error instanceof AppError && (error.code === 'unknown-receiver' || error.code === 'invalid');
    if (certain) return failed(reasonOf(error));
    const late = clock.now() - row.created_at >= peppol.giveUp;
    return late ? failed(`It was given up: ${reasonOf(error)}`) : again(parts, row, found, reasonOf(error));
  }
}

function handed({ clock, random }: TransmitParts, accessPointId: string): Outcome {
  const now = clock.now();
  const settlement = { phase: 'handed', nextAttemptAt: nextQuestionAt(0, now, random), reason: null, found: true } as const;
  return { settlement: { ...settlement, accessPointId, handedAt: now }, status: null };
}

function failed(reason: string): Outcome {
  return { settlement: { phase: 'ended', nextAttemptAt: null, reason }, status: 'failed' };
}

function again({ clock, random }: TransmitParts, { attempts }: TransmissionRow, found: boolean, reason: string): Outcome {
  return { settlement: { phase: 'waiting', nextAttemptAt: nextTryAt(attempts, clock.now(), random), reason, found }, status: null };
}

/** Of the account, where its profile tells it. */
function countryOf({ profile }: Load, { country }: Peppol): string {
  return profileOf(profile).country ?? country;
}
