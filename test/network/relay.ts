// Stands between two programs that speak HTTP, and tells of each request and each answer before it goes on: a moment to kill one of them.
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Moment = 'request' | 'answer';
/** Goes on when it has resolved; where it rejects, the connection is cut. */
export type Watch = (moment: Moment, path: string) => Promise<void>;

export interface Relay extends AsyncDisposable {
  readonly url: string;
}

/** A relay to this address that is watched; a connection ends where the other one of it ends. */
export async function startRelay(target: string, watch: Watch): Promise<Relay> {
  const server = createServer(async (incoming, response) => {
    try {
      const { method = 'GET', url = '/', headers } = incoming;
      const [path = '/'] = url.split('?');
      const body = await read(incoming);
      await watch('request', path);
      const answer = await ask(`${target}${url}`, method, headers, body);
      await watch('answer', path);
      response.writeHead(answer.status, withoutHops(answer.headers)).end(answer.body);
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

function ask(url: string, method: string, headers: OutgoingHttpHeaders, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const passed = { ...withoutHops(headers), 'content-length': body.length };
    const asked = request(url, { method, headers: passed, agent: false }, (answer) => {
      const { statusCode: status = 502, headers: told } = answer;
      read(answer).then((all) => resolve({ status, headers: told, body: all }), reject);
    });
    asked.on('error', reject).end(body);
  });
}

function withoutHops(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const { connection, 'transfer-encoding': encoding, 'content-length': length, ...rest } = headers;
  return rest;
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece);
  return Buffer.concat(pieces);
}
