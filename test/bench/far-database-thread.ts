// The thread of far-database.ts.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { SHARED } from './far-database.ts';

interface Given {
  readonly host: string;
  readonly port: number;
  readonly shared: Int32Array<SharedArrayBuffer>;
}

const { host, port, shared }: Given = workerData;

/** Timers count whole milliseconds: an answer takes the longer way for both, and one that comes later never passes it. */
function answer(to: Socket, arrive: () => void): void {
  const bothWaysMs = (2 * Atomics.load(shared, SHARED.delayUs)) / 1_000;
  if (bothWaysMs > 0) setTimeout(() => to.writable && arrive(), bothWaysMs);
  else arrive();
}

const relay = createServer({ noDelay: true }, (client) => {
  const server = connect({ host, port, noDelay: true });
  let isAnswered = true;
  client.on('data', (bytes) => {
    if (isAnswered) Atomics.add(shared, SHARED.roundTrips, 1);
    isAnswered = false;
    server.write(bytes);
  });
  client.on('error', () => server.destroy()).on('close', () => server.end());
  server.on('data', (bytes) => {
    isAnswered = true;
    answer(client, () => client.write(bytes));
  });
  server.on('error', () => client.destroy()).on('close', () => answer(client, () => client.end()));
});
relay.listen(0, host);
await once(relay, 'listening');
const address = relay.address();
parentPort?.postMessage(typeof address === 'object' && address ? address.port : 0);
