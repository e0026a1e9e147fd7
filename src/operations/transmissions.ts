// Operations on transmissions: what is owed to the network, what became of it, and trying again what was given up.
import { Type } from 'typebox';
import { type ListedTransmission, selectTransmissions } from '#core/ledger/transmission-list.ts';
import { TRANSMISSION_STATES, type TransmissionState } from '#core/model/transmission.ts';
import { type Retried, retryTransmission, showTransmission } from '#core/operate/transmissions.ts';
import { isoTime, isoTimes } from '#domain/day.ts';
import { AppError, toAppError } from '#domain/error.ts';
import { followAgain } from '#gateway/follow/statuses.ts';
import { Count, Moment, MomentOrNull, msOf, TextOrNull } from './forms.ts';
import { coreOf } from './installation.ts';
import { operation } from './operation.ts';

/** Transmissions of one list. */
const LISTED_MAX = 10_000;
/** What somebody may have to look after. */
const USUAL: readonly TransmissionState[] = ['waiting', 'handed', 'failed', 'silent'];

const TRANSMISSION = {
  instanceId: Type.String(),
  state: Type.Enum(TRANSMISSION_STATES),
  accountRegNo: Type.String(),
  family: Type.String(),
  documentId: Type.String(),
  receiver: Type.String(),
  integrationId: Type.String(),
  version: Count,
  status: Type.String(),
  attempts: Count,
  reason: TextOrNull,
  createdAt: Moment,
  handedAt: MomentOrNull,
  postedAt: MomentOrNull,
  nextAttemptAt: MomentOrNull,
} as const;

const factsOf = ({ sequence: _, createdAt, handedAt, postedAt, nextAttemptAt, ...rest }: ListedTransmission) => ({
  ...rest,
  ...isoTimes({ createdAt, handedAt, postedAt, nextAttemptAt }),
});

export const list = operation(
  Type.Object({
    states: Type.Optional(Type.Array(Type.Enum(TRANSMISSION_STATES))),
    accountRegNo: Type.Optional(Type.String()),
    /** The last one of a list: only those that come behind it. */
    behind: Type.Optional(Type.Object({ createdAt: Moment, instanceId: Type.String() })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
  }),
  Type.Array(Type.Object(TRANSMISSION)),
  async (on, { states = USUAL, accountRegNo = null, behind, limit = LISTED_MAX }) => {
    const place = behind && { instanceId: behind.instanceId, createdAt: msOf(behind.createdAt) };
    // The longest list would hold up the event loop.
    return (await selectTransmissions(coreOf(on).ledger.scan, { states, accountRegNo, behind: place, limit })).map(factsOf);
  },
);

const Status = Type.Object({ status: Type.String(), at: Moment, reason: TextOrNull });
const Finding = Type.Object({ rule: Type.String(), message: Type.String(), path: Type.Optional(Type.String()) });
const Response = Type.Object({ kind: Type.String(), code: Type.String(), text: TextOrNull, at: Moment, findings: Type.Array(Finding) });

export const show = operation(
  Type.Object({ instanceId: Type.String() }),
  Type.Object({ ...TRANSMISSION, statuses: Type.Array(Status), answers: Type.Array(Response) }),
  async (on, { instanceId }) => {
    const { transmission, statuses, responses } = await showTransmission(coreOf(on), instanceId);
    return {
      ...factsOf(transmission),
      statuses: statuses.map(({ at, ...rest }) => ({ ...rest, at: isoTime(at) })),
      answers: responses.map(({ kind, code, reason: text, receivedAt, findings }) => ({
        kind,
        code,
        text,
        at: isoTime(receivedAt),
        findings: [...findings],
      })),
    };
  },
);

export const retry = operation(
  Type.Object({ instanceIds: Type.Array(Type.String(), { minItems: 1 }) }),
  Type.Array(Type.Object({ accountRegNo: Type.String(), integrationId: Type.String(), instanceId: Type.String() })),
  async (on, { instanceIds }) => {
    const retried: Retried[] = [];
    for (const instanceId of instanceIds) {
      try {
        const one = await retryTransmission(coreOf(on), instanceId);
        if (on.gateway) await followAgain(on.gateway, one);
        retried.push(one);
      } catch (error) {
        throw retried.length === 0 ? error : stopped(retried, error);
      }
    }
    return retried;
  },
);

/** What was retried before stays so. */
function stopped(retried: readonly Retried[], error: unknown): AppError {
  const { code, message } = toAppError(error);
  const before = retried.map(({ integrationId, instanceId }) => `${integrationId} is tried again as ${instanceId}.`).join(' ');
  return new AppError(code, `${before} Then: ${message}`, { cause: error });
}
