// An access point behind HTTP, as phoss-ap has it: envelopes are posted to it, which sends them while it is asked, and it is asked what
// became of them. What it receives it posts to us (core/api/access-point.ts).

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Outbound, OutboundResponse } from '#core/outbound/outbound.ts';
import { AppError } from '#domain/error.ts';
import { parsedJson } from '#domain/json.ts';
import { type AccessPoint, type Handed, notTaken, type Progress, TOLD_CHARACTERS_MAX } from './access-point.ts';

export const TOKEN_HEADER = 'x-token';

/** What is slower is asked about: a receiver that does not answer must not hold up the others. */
const SEND_MS_MAX = 60_000;
const STATUS_MS_MAX = 15_000;
/** A report on sending repeats what the receiving access point has answered. */
const REPORT_BYTES_MAX = 1024 * 1024;
const STATUS_BYTES_MAX = 256 * 1024;

export interface HttpAccessPointSettings {
  /** Base address, without a slash at its end. */
  readonly url: string;
  readonly token: string | null;
  /** Milliseconds after which what it says that it does not know was never stored. */
  readonly resendAfter: number;
}

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** What it answers when it has stored an envelope, whether it could be sent or not. */
const Report = Compile(
  Type.Object({ sbdhInstanceIdentifier: Type.String(), sendingSuccess: Type.Boolean(), lookupError: Text, sendingError: Text }),
);
const Transaction = Compile(Type.Object({ status: Type.String(), mlsStatus: Text, errorDetails: Text }));

/** What the status of a transaction means; one that is not here is not final. */
const STATES: ReadonlyMap<string, Progress['state']> = new Map([
  ['pending', 'stored'],
  ['sending', 'working'],
  ['failed', 'working'],
  ['sent', 'sent'],
  ['rejected', 'failed'],
  ['permanently_failed', 'failed'],
]);
/** Codes of the message level status; `pending` and `not_applicable` are none. */
const ANSWERS: ReadonlyMap<string, string> = new Map([
  ['received_ap', 'AP'],
  ['received_ab', 'AB'],
  ['received_re', 'RE'],
]);

/** Answers to a hand-over by which nothing was stored, and what is to be done about it. All others of 400 to 499 say no more than that. */
const NOT_STORED: ReadonlyMap<number, string> = new Map([
  [400, 'It could not read the document, its verification refused it, or it could not store it: its log says which.'],
  [401, 'Check core.network.token: it must be what phase4.api.requiredtoken is there.'],
  [403, 'Check core.network.token, and what stands between.'],
  [404, 'Check core.network.url, and that peppol.sending.enabled is true there.'],
  [413, 'Let it, or what stands between, take larger requests.'],
]);
const REFUSING = 400;

export function openHttpAccessPoint(
  outbound: Pick<Outbound, 'request'>,
  { url, token, resendAfter }: HttpAccessPointSettings,
): AccessPoint {
  const headers = token === null ? {} : { [TOKEN_HEADER]: token };

  return {
    tellsAnswers: true,
    settlesWithinMs: resendAfter,
    async send(envelope, { instanceId }) {
      const answer = await outbound.request({
        method: 'POST',
        url: `${url}/api/outbound/submit-sbd`,
        headers: { ...headers, 'content-type': 'application/xml', accept: 'application/json' },
        body: envelope,
        timeoutMs: SEND_MS_MAX,
        responseBytesMax: REPORT_BYTES_MAX,
      });
      return handedBy(answer, instanceId);
    },
    async status(instanceId) {
      const answer = await outbound.request({
        method: 'GET',
        // What is done is archived, and found there only when that is asked for: otherwise it would look as if it had never been stored.
        url: `${url}/api/outbound/status/${encodeURIComponent(instanceId)}?includeArchive=true`,
        headers: { ...headers, accept: 'application/json' },
        timeoutMs: STATUS_MS_MAX,
        responseBytesMax: STATUS_BYTES_MAX,
      });
      return progressBy(answer);
    },
    receive: () => ({ [Symbol.asyncDispose]: async () => undefined }),
  };
}

function handedBy(answer: OutboundResponse, instanceId: string): Handed {
  const { status } = answer;
  if (status === 200 || status === 422) {
    const report = parsed(answer);
    if (Report.Check(report) && report.sbdhInstanceIdentifier === instanceId) {
      const reason = report.sendingError || report.lookupError || null;
      return { accessPointId: instanceId, sent: report.sendingSuccess, reason: reason?.slice(0, TOLD_CHARACTERS_MAX) ?? null };
    }
    throw new AppError('internal', `The access point answered ${status} without a report on the document.`);
  }
  const message = `The access point did not take the document (it answered ${status}).`;
  if (status < 400 || status > 499) throw new AppError('internal', message);
  throw notTaken([message, NOT_STORED.get(status) ?? []].flat().join(' '), { refused: status === REFUSING });
}

function progressBy(answer: OutboundResponse): Progress {
  const { status } = answer;
  if (status === 404) return { state: 'unknown', reason: null, answer: null };
  const found = status === 200 ? parsed(answer) : undefined;
  if (!Transaction.Check(found)) throw new AppError('internal', `The access point answered ${status} when asked for a status.`);
  return {
    state: STATES.get(found.status) ?? 'working',
    reason: found.errorDetails?.slice(0, TOLD_CHARACTERS_MAX) || null,
    answer: ANSWERS.get(found.mlsStatus ?? '') ?? null,
  };
}

function parsed({ body, cut }: OutboundResponse): unknown {
  return cut ? undefined : parsedJson(body);
}
