// Receivers of webhooks in a thread of their own: an HTTPS server that answers at once and tells of each delivery, and a listener that
// takes connections, at as many addresses of this machine as there are dead ones, and never says a word.
import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Authority } from '../support/authority.ts';

export interface Receivers extends AsyncDisposable {
  /** Base address of those that do well. */
  readonly url: string;
  /** Address of a dead one: each has a host of its own. */
  readonly deadUrl: (at: number) => string;
  /** Processor time that the thread has taken, milliseconds. */
  readonly cpuMs: () => Promise<number>;
  /** When each delivery came (milliseconds since 1970), by path and document id. */
  readonly hits: { readonly path: string; readonly documentId: string; readonly atMs: number }[];
}

export async function startReceivers(authority: Authority): Promise<Receivers> {
  const worker = new Worker(new URL(import.meta.url), { workerData: authority });
  const [{ url, deadPort }] = await once(worker, 'message');
  const hits: Receivers['hits'] = [];
  worker.on('message', (hit) => hits.push(hit));
  return {
    url,
    deadUrl: (at) => `https://127.1.${at >> 8}.${at & 255}:${deadPort}`,
    async cpuMs() {
      const { user, system } = await worker.cpuUsage();
      return (user + system) / 1_000;
    },
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
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  await new Promise<void>((listening) => dead.listen(0, '0.0.0.0', listening));
  const portOf = (each: { address(): AddressInfo | string | null }): number => (each.address() as AddressInfo).port;
  port.postMessage({ url: `https://127.0.0.1:${portOf(server)}`, deadPort: portOf(dead) });
}
