// The way to the service, request by request: over connections, or straight to an embedded core. An answer is whole, or it is none.
import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { AppError } from '#domain/error.ts';
import type { Exchange, ExchangeHead } from '#runtime/threads/port-http.ts';
import { type Headers, type Line, NOWHERE, type Pour } from './core-client.ts';

/** Bytes of an answer that is held whole. */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024;
/** Bytes of an answer that is handed on as it arrives. */
const POURED_BYTES_MAX = 16 * 1024 ** 3;
const CONNECTIONS_MAX = 64;

/** Where the service is: a base address, without a slash at the end, or a core in this process. */
export type Service = { readonly url: string } | { readonly exchange: Exchange };

export function openLine(service: Service, requestTimeoutMs: number): Line {
  return 'exchange' in service ? openExchangeLine(service.exchange, requestTimeoutMs) : openConnections(service.url, requestTimeoutMs);
}

/** The exchange belongs to the core, and ends with it. */
function openExchangeLine(exchange: Exchange, requestTimeoutMs: number): Line {
  return {
    send: ({ method, path, headers, body, pour }) =>
      unlessUnanswered(async () => {
        let taking = openTaking(0, undefined);
        const begin = ({ status }: ExchangeHead): Taking['take'] => {
          taking = openTaking(status, pour);
          return taking.take;
        };
        const asked = { method, path, headers, body: body ?? null, headOnly: pour === NOWHERE };
        const head = await exchange.ask(asked, begin, requestTimeoutMs);
        return { status: head.status, headers: headersOf(head.headers), body: taking.body() };
      }),
    close: async () => undefined,
  };
}

function openConnections(url: string, requestTimeoutMs: number): Line {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/$/, '');
  const pool = new Pool(origin, { connections: CONNECTIONS_MAX, headersTimeout: requestTimeoutMs, bodyTimeout: requestTimeoutMs });
  return {
    send: ({ method, path, headers, body, pour }) =>
      unlessUnanswered(async () => {
        const signal = AbortSignal.timeout(requestTimeoutMs);
        const response = await pool.request({ method, path: base + path, headers, body: body ?? null, signal });
        const taking = openTaking(response.statusCode, pour);
        await takeAll(response.body, taking.take);
        return { status: response.statusCode, headers: headersOf(response.headers), body: taking.body() };
      }),
    close: () => pool.close(),
  };
}

async function unlessUnanswered<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('internal', 'the service gave no answer', { cause: error, facts: { unanswered: true } });
  }
}

interface Taking {
  take(piece: Buffer): void;
  body(): Buffer;
}

/** Takes the body of an answer: an answer 200 is poured where somebody pours it, any other is kept. */
function openTaking(status: number, pour: Pour | undefined): Taking {
  const pieces: Buffer[] = [];
  const poured = status === 200 ? pour : undefined;
  const hand = poured ?? ((piece: Buffer) => pieces.push(piece));
  const bytesMax = poured ? POURED_BYTES_MAX : ANSWER_BYTES_MAX;
  let size = 0;
  return {
    take(piece) {
      size += piece.length;
      if (size > bytesMax) throw new AppError('too-large', `the answer is longer than ${bytesMax} bytes`);
      hand(piece);
    },
    body: () => (pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)),
  };
}

/** Hands on the body piece by piece; what `take` throws ends it. By events: an iterator would take longer than the rest of a request. */
function takeAll(body: Readable, take: (piece: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    body.on('end', resolve).on('error', reject);
    body.on('data', (piece: Buffer) => {
      try {
        take(piece);
      } catch (error) {
        reject(error);
        body.destroy();
      }
    });
  });
}

function headersOf(given: Readonly<Record<string, string | string[] | undefined>>): Headers {
  return {
    get(name) {
      const value = given[name];
      return Array.isArray(value) ? value[0] : value;
    },
  };
}
