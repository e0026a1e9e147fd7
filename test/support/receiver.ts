// A receiver of webhooks: a real HTTPS server by a test authority, which answers as its script says and remembers what came.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { authority } from './authority.ts';

export interface Hit {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; undefined when it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly json: any;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** `hang`: no answer, until the other side gives up; `reset`: the connection is cut. */
export type ReplyScript = (hit: Hit) => Reply | 'hang' | 'reset' | Promise<Reply | 'hang' | 'reset'>;

export interface Receiver extends AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  readonly hits: Hit[];
  script: ReplyScript;
  /** Connections that were ever made. */
  readonly connections: number;
}

/** Longer than any client keeps a connection, so that none is closed just when it is used again. */
const KEEP_ALIVE_MS = 60_000;

export async function startReceiver(script: ReplyScript = () => ({ status: 204 }), host = '127.0.0.1'): Promise<Receiver> {
  const { cert, key } = authority();
  const hits: Hit[] = [];
  let connections = 0;
  let answered = script;
  const server = createServer({ cert, key, keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => void answer(request, response));
  server.on('connection', () => connections++);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const text = Buffer.concat(pieces).toString('utf8');
    const hit: Hit = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, text, json: parsed(text) };
    hits.push(hit);
    const reply = await answered(hit);
    if (reply === 'hang') return;
    if (reply === 'reset') return void request.socket.destroy();
    response.writeHead(reply.status, reply.headers);
    response.end(reply.body);
  }

  await new Promise<void>((listening) => server.listen(0, host, listening));
  const { port } = server.address() as AddressInfo;
  return {
    get script() {
      return answered;
    },
    set script(next) {
      answered = next;
    },
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    hits,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
