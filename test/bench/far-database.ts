// A relay in front of PostgreSQL that counts round trips, and that can make the way to it longer: as if the database were on another machine. In a thread of
// its own, so that what else a bench does does not hold answers up.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What both threads see. */
export const SHARED = { roundTrips: 0, delayUs: 1, words: 2 } as const;

export interface FarDatabase extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** How often a connection waited for an answer before it spoke again; of all of them, since it began. */
  readonly roundTrips: number;
  /** From now on each way takes so much longer. */
  delay(ms: number): void;
}

export async function openFarDatabase({ host, port }: { readonly host: string; readonly port: number }): Promise<FarDatabase> {
  const shared = new Int32Array(new SharedArrayBuffer(SHARED.words * Int32Array.BYTES_PER_ELEMENT));
  const thread = new Worker(new URL('./far-database-thread.ts', import.meta.url), { workerData: { host, port, shared } });
  const [own] = await once(thread, 'message');
  return {
    host,
    port: Number(own),
    get roundTrips() {
      return Atomics.load(shared, SHARED.roundTrips);
    },
    delay: (ms) => void Atomics.store(shared, SHARED.delayUs, ms * 1_000),
    [Symbol.asyncDispose]: async () => void (await thread.terminate()),
  };
}
