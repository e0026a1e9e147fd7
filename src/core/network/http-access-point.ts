// An access point behind HTTP, as phoss-ap has it: envelopes are posted to it, and it is asked what became of them. What it receives it
// posts to us (core/api/access-point.ts).
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Outbound } from '#core/outbound/outbound.ts';
import { AppError } from '#domain/error.ts';
import { type AccessPoint, type Progress, TOLD_CHARACTERS_MAX } from './access-point.ts';

export const TOKEN_HEADER = 'x-token';

const SEND_MS_MAX = 60_000;
const STATUS_MS_MAX = 15_000;
const ANSWER_BYTES_MAX = 256 * 1024;

export interface HttpAccessPointSettings {
  /** Base address, without a slash at its end. */
  readonly url: string;
  readonly token: string | null;
}

const Submitted = Compile(Type.Object({ status: Type.String(), sbdhInstanceID: Type.Optional(Type.String()) }));
const Transaction = Compile(
  Type.Object({
    status: Type.String(),
    mlsStatus: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    errorDetails: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
);

/** What the status of a transaction means; one that is not here is not final. */
const STATES: ReadonlyMap<string, Progress['state']> = new Map([
  ['sent', 'sent'],
  ['rejected', 'failed'],
  ['permanently_failed', 'failed'],
]);
/** The receiver's message level status, which says more than `sent`. */
const MLS_STATES: ReadonlyMap<string, Progress['state']> = new Map([
  ['received_ap', 'delivered'],
  ['received_ab', 'delivered'],
  ['received_re', 'rejected'],
]);

export function openHttpAccessPoint(outbound: Pick<Outbound, 'request'>, { url, token }: HttpAccessPointSettings): AccessPoint {
  const headers = token === null ? {} : { [TOKEN_HEADER]: token };

  async function status(instanceId: string): Promise<Progress> {
    const answer = await outbound.request({
      method: 'GET',
      url: `${url}/api/outbound/status/${encodeURIComponent(instanceId)}`,
      headers: { ...headers, accept: 'application/json' },
      timeoutMs: STATUS_MS_MAX,
      answerMax: ANSWER_BYTES_MAX,
    });
    if (answer.status === 404) return { state: 'unknown', reason: null };
    const found = answer.status === 200 ? parsed(answer.body) : undefined;
    if (!Transaction.Check(found)) throw new AppError('internal', `The access point answered ${answer.status} when asked for a status.`);
    const state = MLS_STATES.get(found.mlsStatus ?? '') ?? STATES.get(found.status) ?? 'working';
    return { state, reason: found.errorDetails?.slice(0, TOLD_CHARACTERS_MAX) || null };
  }

  return {
    tellsAnswers: true,
    async send(envelope, { instanceId }) {
      const answer = await outbound.request({
        method: 'POST',
        url: `${url}/api/outbound/submit-sbd`,
        headers: { ...headers, 'content-type': 'application/xml', accept: 'application/json' },
        body: envelope,
        timeoutMs: SEND_MS_MAX,
        answerMax: ANSWER_BYTES_MAX,
      });
      const submitted = answer.status >= 200 && answer.status < 300 ? parsed(answer.body) : undefined;
      if (Submitted.Check(submitted) && submitted.status === 'queued') {
        return submitted.sbdhInstanceID?.slice(0, TOLD_CHARACTERS_MAX) || instanceId;
      }
      throw new AppError('internal', `The access point did not take the document (it answered ${answer.status}).`);
    },
    status,
    receive: () => ({ [Symbol.asyncDispose]: async () => undefined }),
  };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
