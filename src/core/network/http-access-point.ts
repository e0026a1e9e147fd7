// An access point behind HTTP, as phoss-ap has it: we post envelopes, which it sends while we wait, and ask for their status. It posts the
// envelopes that it receives to us (core/api/access-point.ts).

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { AppError } from '#domain/error.ts';
import { parsedJson } from '#domain/json.ts';
import type { Outbound, OutboundResponse } from '#runtime/outbound/outbound.ts';
import { type AccessPoint, type Handed, notTaken, type Progress, REPORTED_CHARACTERS_MAX } from './access-point.ts';

export const TOKEN_HEADER = 'x-token';

/** After that the status is asked for: a slow receiver must not hold up the others. */
const SEND_MS_MAX = 60_000;
const STATUS_MS_MAX = 15_000;
/** A report on sending repeats the receiving access point's response. */
const REPORT_BYTES_MAX = 1024 * 1024;
const STATUS_BYTES_MAX = 256 * 1024;

interface HttpAccessPointSettings {
  /** Base address, without a slash at its end. */
  readonly url: string;
  readonly token: string | null;
  /** Milliseconds after which an envelope that it does not know was certainly never stored. */
  readonly resendAfter: number;
}

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** Its response when it has stored an envelope, whether it could be sent or not. */
const Report = Compile(
  Type.Object({ sbdhInstanceIdentifier: Type.String(), sendingSuccess: Type.Boolean(), lookupError: Text, sendingError: Text }),
);
const Transaction = Compile(Type.Object({ status: Type.String(), mlsStatus: Text, errorDetails: Text }));

/** States by the status of a transaction; other statuses are not final. */
const STATES: ReadonlyMap<string, Progress['state']> = new Map([
  ['pending', 'stored'],
  ['sending', 'working'],
  ['failed', 'working'],
  ['sent', 'sent'],
  ['rejected', 'failed'],
  ['permanently_failed', 'failed'],
]);
/** Codes of the message level status by `mlsStatus`; `pending` and `not_applicable` are none. */
const RESPONSE_CODES: ReadonlyMap<string, string> = new Map([
  ['received_ap', 'AP'],
  ['received_ab', 'AB'],
  ['received_re', 'RE'],
]);

/** Statuses after which nothing was stored, and what the operator can do. Other statuses of 400 to 499 mean the same without a remedy. */
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
    reportsResponses: true,
    settlesWithinMs: resendAfter,
    async send(envelope, { instanceId }) {
      const response = await outbound.request({
        method: 'POST',
        url: `${url}/api/outbound/submit-sbd`,
        headers: { ...headers, 'content-type': 'application/xml', accept: 'application/json' },
        body: envelope,
        timeoutMs: SEND_MS_MAX,
        responseBytesMax: REPORT_BYTES_MAX,
      });
      return handedBy(response, instanceId);
    },
    async status(instanceId) {
      const response = await outbound.request({
        method: 'GET',
        // Without includeArchive a finished transaction would look as if it had never been stored.
        url: `${url}/api/outbound/status/${encodeURIComponent(instanceId)}?includeArchive=true`,
        headers: { ...headers, accept: 'application/json' },
        timeoutMs: STATUS_MS_MAX,
        responseBytesMax: STATUS_BYTES_MAX,
      });
      return progressBy(response);
    },
    receive: () => ({ [Symbol.asyncDispose]: async () => undefined }),
  };
}

function handedBy(response: OutboundResponse, instanceId: string): Handed {
  const { status } = response;
  if (status === 200 || status === 422) {
    const report = parsed(response);
    if (Report.Check(report) && report.sbdhInstanceIdentifier === instanceId) {
      const reason = report.sendingError || report.lookupError || null;
      return { accessPointId: instanceId, sent: report.sendingSuccess, reason: reason?.slice(0, REPORTED_CHARACTERS_MAX) ?? null };
    }
    throw new AppError('internal', `The access point answered ${status} without a report on the document.`);
  }
  const message = `The access point did not take the document (it answered ${status}).`;
  if (status < 400 || status > 499) throw new AppError('internal', message);
  throw notTaken([message, NOT_STORED.get(status) ?? []].flat().join(' '), { refused: status === REFUSING });
}

function progressBy(response: OutboundResponse): Progress {
  const { status } = response;
  if (status === 404) return { state: 'unknown', reason: null, responseCode: null };
  const found = status === 200 ? parsed(response) : undefined;
  if (!Transaction.Check(found)) throw new AppError('internal', `The access point answered ${status} when asked for a status.`);
  return {
    state: STATES.get(found.status) ?? 'working',
    reason: found.errorDetails?.slice(0, REPORTED_CHARACTERS_MAX) || null,
    responseCode: RESPONSE_CODES.get(found.mlsStatus ?? '') ?? null,
  };
}

function parsed({ body, cut }: OutboundResponse): unknown {
  return cut ? undefined : parsedJson(body);
}
