// A load of HTTP requests: so many at once, or so many a second, each timed from sending to the last byte of its answer.
import { Pool } from 'undici';

export interface Shot {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** By a connection of its own. */
  readonly reset?: boolean;
}

export interface Load {
  readonly perSecond: number;
  readonly milliseconds: readonly number[];
  /** CPU time of the other threads of this process, where the server runs, per request. */
  readonly cpuMs: number;
}

/** Connections of a load that is given by its rate. */
const CONNECTIONS_MAX = 256;

/** Throws at the first answer that is none of `statuses`. */
export async function fire(url: string, shots: readonly Shot[], atOnce: number, statuses: readonly number[] = [200]): Promise<Load> {
  const pool = new Pool(url, { connections: atOnce });
  const milliseconds: number[] = [];
  const left = shots.values();
  const begin = performance.now();
  const cpuBegin = cpuOfOtherThreads();
  const client = async (): Promise<void> => {
    for (const shot of left) {
      const before = performance.now();
      await answered(pool, shot, statuses);
      milliseconds.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  const perSecond = (shots.length / (performance.now() - begin)) * 1_000;
  const cpuMs = (cpuOfOtherThreads() - cpuBegin) / shots.length;
  await pool.close();
  return { perSecond, milliseconds, cpuMs };
}

/** Sends so many a second, whatever becomes of them, until it is stopped; each is timed from when it was due. */
export function fireSteadily(url: string, shots: readonly Shot[], perSecond: number): { stop(): Promise<Load> } {
  const pool = new Pool(url, { connections: CONNECTIONS_MAX });
  const begin = performance.now();
  const cpuBegin = cpuOfOtherThreads();
  const sent: Promise<number>[] = [];
  const send = async (shot: Shot, due: number): Promise<number> => {
    await answered(pool, shot, [200]);
    return performance.now() - due;
  };
  const dueOf = (at: number): number => begin + (at / perSecond) * 1_000;
  const tick = setInterval(() => {
    while (dueOf(sent.length) <= performance.now()) {
      const shot = shots[sent.length % shots.length];
      if (!shot) return;
      const one = send(shot, dueOf(sent.length));
      // Told by stop.
      one.catch(() => undefined);
      sent.push(one);
    }
  }, 1);
  return {
    async stop() {
      clearInterval(tick);
      const milliseconds = await Promise.all(sent);
      const cpuMs = (cpuOfOtherThreads() - cpuBegin) / sent.length;
      await pool.close();
      return { perSecond: (sent.length / (performance.now() - begin)) * 1_000, milliseconds, cpuMs };
    },
  };
}

async function answered(pool: Pool, { body, ...shot }: Shot, statuses: readonly number[]): Promise<void> {
  const answer = await pool.request({ ...shot, body: body ?? null });
  const text = await answer.body.text();
  if (!statuses.includes(answer.statusCode)) throw new Error(`${shot.method} ${shot.path}: ${answer.statusCode} ${text.slice(0, 500)}`);
}

function cpuOfOtherThreads(): number {
  const [all, ours] = [process.cpuUsage(), process.threadCpuUsage()];
  return (all.user + all.system - ours.user - ours.system) / 1_000;
}
