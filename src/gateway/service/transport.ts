// The way to the service, request by request: over connections, or straight to an embedded core. An answer is whole, or it is none.
import type { Readable } from 'node:stream';
import type { Pool } from 'undici';
import { AppError } from '#domain/error.ts';
import type { JudgedHead } from '#rules/judged-head.ts';
import type { PortHead, PortHttp } from '#runtime/threads/port-http.ts';

/** Bytes of an answer that is held whole. */
export const ANSWER_BYTES_MAX = 128 * 1024 * 1024;
/** Bytes of an answer that is handed on as it arrives. */
const POURED_BYTES_MAX = 16 * 1024 ** 3;
const CONNECTIONS_MAX = 64;

/** By names in lower case; of a repeated one the first value. */
export type Headers = ReadonlyMap<string, string>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Takes the body of an answer 200 piece by piece, as it arrives; the answer's own body is empty then. */
export type Pour = (piece: Uint8Array) => void;

/** For a body that the caller does not want. */
export const NOWHERE: Pour = () => undefined;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A request as it goes out. */
interface Outgoing {
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly pour?: Pour | undefined;
}

/** The way to the service: one request, one answer. Throws as the client does (core-client.ts). */
export interface Transport {
  send(request: Outgoing): Promise<Answer>;
  close(): Promise<void>;
}

/** Where the service is, and what it can do for us beside its API. */
export type Service = RemoteService | EmbeddedService;

interface RemoteService {
  /** A base address, without a slash at the end. */
  readonly url: string;
}

/** A core in this process. */
interface EmbeddedService {
  readonly portHttp: PortHttp;
  /**
   * Reads what a short document is, in the core's examining thread. That judges it at once, hands the judgement on with its head, and need not read the
   * document again when it is sent. Optional: where it is missing, or does not answer, the gateway reads and judges the document itself. Throws `unreadable` and `invalid`.
   */
  readonly inspect?: (bytes: Uint8Array) => Promise<JudgedHead>;
}

export function openTransport(service: Service, requestTimeoutMs: number): Transport {
  return 'portHttp' in service ? openPortTransport(service.portHttp, requestTimeoutMs) : openConnections(service.url, requestTimeoutMs);
}

/** The exchange belongs to the core, and ends with it. */
function openPortTransport(portHttp: PortHttp, requestTimeoutMs: number): Transport {
  return {
    send: ({ method, path, headers, body, pour }) =>
      unlessUnanswered(async () => {
        let taking = openTaking(0, undefined);
        const begin = ({ status }: PortHead): Taking['take'] => {
          taking = openTaking(status, pour);
          return taking.take;
        };
        const head = await portHttp.ask({ method, path, headers, body: body ?? null }, begin, requestTimeoutMs);
        return { status: head.status, headers: headersOf(head.headers), body: taking.body() };
      }),
    close: async () => undefined,
  };
}

function openConnections(url: string, requestTimeoutMs: number): Transport {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/$/, '');
  let pool: Promise<Pool> | null = null;
  // Loaded where there are connections: an embedded core needs none.
  const openPool = async (): Promise<Pool> => {
    const undici = await import('undici');
    return new undici.Pool(origin, { connections: CONNECTIONS_MAX, headersTimeout: requestTimeoutMs, bodyTimeout: requestTimeoutMs });
  };
  return {
    send: ({ method, path, headers, body, pour }) =>
      unlessUnanswered(async () => {
        const signal = AbortSignal.timeout(requestTimeoutMs);
        pool ??= openPool();
        const opened = await pool;
        const response = await opened.request({ method, path: base + path, headers, body: body ?? null, signal });
        const taking = openTaking(response.statusCode, pour);
        await takeAll(response.body, taking.take);
        return { status: response.statusCode, headers: headersOf(response.headers), body: taking.body() };
      }),
    async close() {
      const opened = await pool;
      await opened?.close();
    },
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

/** Takes the body of an answer: an answer 200 is poured where the caller takes it, any other is kept. */
function openTaking(status: number, pour: Pour | undefined): Taking {
  return status === 200 && pour ? { take: within(POURED_BYTES_MAX, pour), body: () => Buffer.alloc(0) } : keepUpTo(ANSWER_BYTES_MAX);
}

/** Keeps a body as it arrives. `take` throws `too-large` when it is longer than `bytesMax`. */
export function keepUpTo(bytesMax: number): { readonly take: Pour; body(): Buffer } {
  const pieces: Uint8Array[] = [];
  return {
    take: within(bytesMax, (piece) => pieces.push(piece)),
    body: () => (pieces.length === 1 && Buffer.isBuffer(pieces[0]) ? pieces[0] : Buffer.concat(pieces)),
  };
}

function within(bytesMax: number, pour: Pour): Pour {
  let size = 0;
  return (piece) => {
    size += piece.length;
    if (size > bytesMax) throw new AppError('too-large', `the answer is longer than ${bytesMax} bytes`);
    pour(piece);
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
  const first = Object.entries(given).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value] as const);
  return new Map(first.filter((each): each is [string, string] => each[1] !== undefined));
}
