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

/** Timers are too coarse. It looks for what else has come after so long, so nothing waits longer than that in vain. */
const SLEEP_MS = 0.1;

const { host, port, shared }: Given = workerData;
/** What is under way, in the order in which it is due; without bytes the connection ends. */
const underWay: { readonly dueMs: number; readonly to: Socket; readonly bytes: Buffer | null }[] = [];
const sleeper = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
let isDraining = false;

function send(to: Socket, bytes: Buffer | null): void {
  const delayUs = Atomics.load(shared, SHARED.delayUs);
  if (delayUs === 0 && underWay.length === 0) {
    arrive(to, bytes);
    return;
  }
  underWay.push({ dueMs: performance.now() + delayUs / 1_000, to, bytes });
  if (isDraining) return;
  isDraining = true;
  setImmediate(drain);
}

function drain(): void {
  let arrived = 0;
  for (const { dueMs, to, bytes } of underWay) {
    if (dueMs > performance.now()) break;
    arrive(to, bytes);
    arrived++;
  }
  underWay.splice(0, arrived);
  const [next] = underWay;
  isDraining = next !== undefined;
  if (!next) return;
  Atomics.wait(sleeper, 0, 0, Math.max(0, Math.min(next.dueMs - performance.now(), SLEEP_MS)));
  setImmediate(drain);
}

function arrive(to: Socket, bytes: Buffer | null): void {
  if (bytes) to.write(bytes);
  else to.end();
}

const relay = createServer({ noDelay: true }, (client) => {
  const server = connect({ host, port, noDelay: true });
  let isAnswered = true;
  client.on('data', (bytes) => {
    if (isAnswered) Atomics.add(shared, SHARED.roundTrips, 1);
    isAnswered = false;
    send(server, bytes);
  });
  server.on('data', (bytes) => {
    isAnswered = true;
    send(client, bytes);
  });
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.on('error', () => to.destroy()).on('close', () => send(to, null));
  }
});
relay.listen(0, host);
await once(relay, 'listening');
const address = relay.address();
parentPort?.postMessage(typeof address === 'object' && address ? address.port : 0);
