// Sends the core's requests to addresses that others have named: guarded, bounded in time and size, never redirected.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '#domain/error.ts';
import type { Clock } from '#runtime/clock.ts';
import { type OutboundSettings, openGuard } from './guard.ts';
import { reasonOf } from './reason.ts';

export interface OutboundRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Milliseconds until the whole response must have arrived. */
  readonly timeoutMs: number;
  /** Bytes of the response body that are read; the rest is cut off, and the response is `cut`. */
  readonly responseBytesMax: number;
  /** Gives the request up. */
  readonly signal?: AbortSignal;
}

export interface OutboundResponse {
  readonly status: number;
  /** Names in lower case; of a repeated header the first value. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** The body did not end within the time or the size. */
  readonly cut: boolean;
}

export interface Outbound {
  /**
   * One request; a redirect is a response like any other. Throws `forbidden` for an address that may not be reached, `missing` for a
   * name without addresses, `internal` when no response came: then it is unknown whether the request arrived, unless the error `isUnreachable`.
   */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /** As `Guard.forbids`. */
  forbids(host: string): boolean;
  /** Cuts the requests that are under way. */
  close(): Promise<void>;
}

/** The error of a request for which no connection was made: it certainly did not arrive. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof AppError && error.facts.unreachable === true;
}

export function openOutbound(settings: OutboundSettings, clock: Clock): Outbound {
  const { agent, forbids, close } = openGuard(settings, clock);

  async function request({
    method,
    url,
    headers = {},
    body,
    timeoutMs,
    responseBytesMax,
    signal,
  }: OutboundRequest): Promise<OutboundResponse> {
    const { origin, pathname, search } = new URL(url);
    const timeout = new AbortController();
    using _timer = clock.after(timeoutMs, () => timeout.abort(new AppError('internal', `There was no answer within ${timeoutMs} ms.`)));
    try {
      const connections = await agent();
      const response = await connections.request({
        origin,
        path: pathname + search,
        method,
        headers: { 'user-agent': 'dropgate', ...headers },
        body: body ?? null,
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      });
      const read = await readUpTo(response.body, responseBytesMax);
      // The connection is free in the next turn of the event loop: a request before that would open another one.
      await nextTurn();
      return { status: response.statusCode, headers: headerMap(response.headers), ...read };
    } catch (error) {
      throw error instanceof AppError ? error : new AppError('internal', `There was no answer: ${reasonOf(error)}.`, { cause: error });
    }
  }

  return {
    request,
    forbids,
    close,
  };
}

/** The status is known before the body: a response whose body breaks off or never ends counts, too. */
async function readUpTo(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Pick<OutboundResponse, 'body' | 'cut'>> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.length;
      // Leaving the loop destroys the body, and its connection with it.
      if (size > bytesMax) return { body: Buffer.concat(pieces), cut: true };
      pieces.push(piece);
    }
  } catch {
    return { body: Buffer.concat(pieces), cut: true };
  }
  return { body: Buffer.concat(pieces), cut: false };
}

function headerMap(headers: Readonly<Record<string, string | string[] | undefined>>): Map<string, string> {
  return new Map(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name.toLowerCase(), first] as const];
    }),
  );
}
