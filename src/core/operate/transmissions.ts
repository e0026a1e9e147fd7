// What an operator may do about transmissions: see what is owed to the network, and have tried again what was given up.

import { type LoggedStatus, selectLog } from '#core/ledger/messages.ts';
import { type KeptResponse, selectResponses } from '#core/ledger/receptions.ts';
import { findTransmission, type ListedTransmission, selectTransmissions, type TransmissionState } from '#core/ledger/transmission-list.ts';
import { insertTransmission, reviveTransmission } from '#core/ledger/transmissions.ts';
import { instanceIdOf } from '#core/network/network.ts';
import { recordStatuses } from '#core/transactions/delivery.ts';
import { AppError } from '#domain/error.ts';
import type { CoreAdministration } from './administration.ts';

/** Those in these states, the latest first; of one account, or of all. */
export async function listTransmissions(
  { ledger }: Pick<CoreAdministration, 'ledger'>,
  { states, accountRegNo, limit }: { states: readonly TransmissionState[]; accountRegNo: string | null; limit: number },
): Promise<ListedTransmission[]> {
  return selectTransmissions(ledger.read, { states, accountRegNo, limit });
}

/** A transmission with what is known of its way. */
export interface ShownTransmission {
  readonly transmission: ListedTransmission;
  /** What the message has been through since this version of it was stored. */
  readonly statuses: readonly LoggedStatus[];
  /** What the receiver's side has answered to the message, in any of its versions. */
  readonly answers: readonly KeptResponse[];
}

/** Throws `missing`. */
export async function showTransmission({ ledger }: Pick<CoreAdministration, 'ledger'>, instanceId: string): Promise<ShownTransmission> {
  const transmission = await findTransmission(ledger.read, instanceId);
  if (!transmission) throw new AppError('missing', `There is no transmission ${instanceId}.`);
  const { sequence, version } = transmission;
  return {
    transmission,
    statuses: await selectLog(ledger.read, { sequence, version }),
    answers: await selectResponses(ledger.read, sequence),
  };
}

/** A message that is tried again. */
export interface Retried {
  readonly accountRegNo: string;
  readonly integrationId: string;
  /** Its name from now on. */
  readonly instanceId: string;
}

const RETRIED: ReadonlySet<TransmissionState> = new Set(['failed', 'silent']);

/**
 * Has a transmission that failed, or of which nobody tells, tried again. One that the access point has never had keeps its name, so that it is
 * handed over once at the most, whatever the earlier tries did; one that the access point gave up is a new one to it. Throws `missing`,
 * and `invalid` for any other.
 */
export async function retryTransmission(on: CoreAdministration, instanceId: string): Promise<Retried> {
  return on.ledger.write(async (rows) => {
    const now = on.clock.now();
    const listed = await findTransmission(rows, instanceId);
    if (!listed) throw new AppError('missing', `There is no transmission ${instanceId}.`);
    const { state, accountRegNo, integrationId, handedAt } = listed;
    if (!RETRIED.has(state))
      throw new AppError('invalid', `The transmission ${instanceId} is ${state}: only one that failed is tried again.`);
    // A daemon that runs beside this finds all of it by its sweeps.
    if (state === 'failed') await recordStatuses(rows, on.random, integrationId, ['queued'], now);
    if (handedAt !== null) {
      return {
        accountRegNo,
        integrationId,
        instanceId: await insertTransmission(rows, { integrationId, instanceIdOf, found: false }, now),
      };
    }
    await reviveTransmission(rows, instanceId, now);
    return { accountRegNo, integrationId, instanceId };
  });
}
