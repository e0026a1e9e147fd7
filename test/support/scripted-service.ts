// A service that follows the specification only as far as its script says: it can refuse, stall, lose answers and lie.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

export interface Scripted {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer, or none after the request was read: the connection is reset, or nothing comes at all. */
export type Reply = Scripted | 'reset' | 'silence';
export type Script = (seen: Seen) => Reply | Promise<Reply>;

/** What a service with requests to spare says with every answer. */
export const AMPLE = { 'ratelimit-limit': '6000', 'ratelimit-remaining': '5999', 'ratelimit-reset': '60' } as const;

export interface ScriptedOptions {
  /** Headers of every answer that does not name them itself; ample requests unless others are given. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Keep what was seen, bodies and all; otherwise `seen` stays empty. */
  readonly remembers?: boolean;
}

export interface ScriptedService extends AsyncDisposable {
  readonly url: string;
  readonly seen: Seen[];
  /** The creates among them. */
  creates(): Seen[];
  script: Script;
}

/** What a service without documents answers: creates are accepted, lists are empty. */
export const obliging: Script = ({ method }) => (method === 'POST' ? created() : { status: 204 });

export function created(integrationId: string = randomUUID()): Scripted {
  return { status: 200, body: { status: 'success', data: { message: 'Invoice was received.', invoice_id: '1', integrationId } } };
}

export function refusal(status: number, type: string, metadata: Record<string, unknown> = {}): Scripted {
  return { status, body: { status: 'error', type, data: `says the script: ${type}`, metadata: { ...metadata, debug_error_code: status } } };
}

export async function startScriptedService(
  script: Script = obliging,
  { headers: always = AMPLE, remembers = true }: ScriptedOptions = {},
): Promise<ScriptedService> {
  const seen: Seen[] = [];
  const service = { script };
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const url = new URL(request.url ?? '/', 'http://service');
    const one: Seen = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(pieces),
    };
    if (remembers) seen.push(one);
    const scripted = await service.script(one);
    if (scripted === 'silence') return;
    if (scripted === 'reset') {
      request.socket.destroy();
      return;
    }
    const { status, headers = {}, body } = scripted;
    const bytes = body === undefined ? '' : body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...always, ...headers });
    response.end(bytes);
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return Object.assign(service, {
    url: `http://127.0.0.1:${port}`,
    seen,
    creates: () => seen.filter(({ method }) => method === 'POST'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  });
}
