// What an operator may do about transmissions: look at one, and retry those that were given up.

import { writeForFound } from '#core/ledger/found-account.ts';
import { type LoggedStatus, selectLog } from '#core/ledger/message-statuses.ts';
import { type KeptResponse, selectResponses } from '#core/ledger/receptions.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { findTransmission, type ListedTransmission } from '#core/ledger/transmission-list.ts';
import { insertTransmission, replaceTransmissions, reviveTransmission } from '#core/ledger/transmissions.ts';
import { instanceIdOf } from '#core/model/instance-id.ts';
import type { TransmissionState } from '#core/model/transmission.ts';
import { recordStatuses } from '#core/transactions/delivery.ts';
import { AppError } from '#domain/error.ts';
import type { CoreAdministration } from './administration.ts';

/** A transmission with its history. */
interface ShownTransmission {
  readonly transmission: ListedTransmission;
  /** The statuses of the message since this version was stored. */
  readonly statuses: readonly LoggedStatus[];
  /** The responses of the receiver's side to the message, in any of its versions. */
  readonly responses: readonly KeptResponse[];
}

/** Throws `missing`. */
export async function showTransmission({ ledger }: Pick<CoreAdministration, 'ledger'>, instanceId: string): Promise<ShownTransmission> {
  const transmission = await findTransmission(ledger.read, instanceId);
  if (!transmission) throw new AppError('missing', `There is no transmission ${instanceId}.`);
  const { sequence, version } = transmission;
  return {
    transmission,
    statuses: await selectLog(ledger.read, { sequence, version }),
    responses: await selectResponses(ledger.read, sequence),
  };
}

/** A message whose transmission is retried. */
export interface Retried {
  readonly accountRegNo: string;
  readonly integrationId: string;
  /** The transmission's id from now on. */
  readonly instanceId: string;
}

const RETRIED: ReadonlySet<TransmissionState> = new Set(['failed', 'silent']);

/**
 * Retries a transmission that failed, or whose outcome the access point never reported. One that the access point has never had keeps its id,
 * so that it is handed over once at the most, whatever the earlier tries did; one that the access point gave up gets a new id. Throws
 * `missing`, and `invalid` in any other state.
 */
export async function retryTransmission(on: CoreAdministration, instanceId: string): Promise<Retried> {
  const find = async (rows: Rows): Promise<string | undefined> => (await findTransmission(rows, instanceId))?.accountRegNo;
  return writeForFound(on.ledger, find, async (rows) => {
    const now = on.clock.now();
    const listed = await findTransmission(rows, instanceId);
    if (!listed) throw new AppError('missing', `There is no transmission ${instanceId}.`);
    const { state, accountRegNo, integrationId, sequence, handedAt } = listed;
    if (!RETRIED.has(state))
      throw new AppError('invalid', `The transmission ${instanceId} is ${state}: only one that failed is tried again.`);
    // A daemon that runs beside this finds these rows by its sweeps.
    if (state === 'failed') await recordStatuses(rows, on.random, integrationId, ['queued'], now);
    if (handedAt !== null) {
      await replaceTransmissions(rows, sequence, 'replaced by a later try');
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
