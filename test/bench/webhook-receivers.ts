// Receivers of webhooks in a thread of their own: an HTTPS server that answers at once and tells of each delivery, and a listener that
// takes connections and never says a word.
import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Authority } from '../support/authority.ts';

export interface Receivers extends AsyncDisposable {
  /** Base address of those that do well. */
  readonly url: string;
  /** Address of those that are dead. */
  readonly deadUrl: string;
  /** When each delivery came (milliseconds since 1970), by path and document id. */
  readonly hits: { readonly path: string; readonly documentId: string; readonly atMs: number }[];
}

export async function startReceivers(authority: Authority): Promise<Receivers> {
  const worker = new Worker(new URL(import.meta.url), { workerData: authority });
  const [{ url, deadUrl }] = await once(worker, 'message');
  const hits: Receivers['hits'] = [];
  worker.on('message', (hit) => hits.push(hit));
  return {
    url,
    deadUrl,
    hits,
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

if (parentPort) await serve(parentPort, workerData);

async function serve(port: NonNullable<typeof parentPort>, { cert, key }: Authority): Promise<void> {
  const server = createServer({ cert, key, keepAliveTimeout: 60_000 }, async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    response.writeHead(204).end();
    port.postMessage({ path: request.url, documentId: JSON.parse(text).data.documentId, atMs: performance.timeOrigin + performance.now() });
  });
  const dead = createTcpServer((socket) => socket.on('error', () => undefined));
  for (const each of [server, dead]) await new Promise<void>((listening) => each.listen(0, '127.0.0.1', listening));
  const portOf = (each: { address(): AddressInfo | string | null }): number => (each.address() as AddressInfo).port;
  port.postMessage({ url: `https://127.0.0.1:${portOf(server)}`, deadUrl: `https://127.0.0.1:${portOf(dead)}` });
}
