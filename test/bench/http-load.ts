// A load of HTTP requests: so many at once, each timed from sending to the last byte of its answer.
import { Pool } from 'undici';

export interface Shot {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface Load {
  readonly perSecond: number;
  readonly milliseconds: readonly number[];
  /** CPU time of the other threads of this process, where the server runs, per request. */
  readonly cpuMs: number;
}

/** Throws at the first answer that is none of `statuses`. */
export async function fire(url: string, shots: readonly Shot[], atOnce: number, statuses: readonly number[] = [200]): Promise<Load> {
  const pool = new Pool(url, { connections: atOnce });
  const milliseconds: number[] = [];
  const left = shots.values();
  const begin = performance.now();
  const cpuBegin = cpuOfOtherThreads();
  const client = async (): Promise<void> => {
    for (const { body, ...shot } of left) {
      const before = performance.now();
      const answer = await pool.request({ ...shot, body: body ?? null });
      const text = await answer.body.text();
      milliseconds.push(performance.now() - before);
      if (!statuses.includes(answer.statusCode)) throw new Error(`${shot.method} ${shot.path}: ${answer.statusCode} ${text.slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  const perSecond = (shots.length / (performance.now() - begin)) * 1_000;
  const cpuMs = (cpuOfOtherThreads() - cpuBegin) / shots.length;
  await pool.close();
  return { perSecond, milliseconds, cpuMs };
}

function cpuOfOtherThreads(): number {
  const [all, ours] = [process.cpuUsage(), process.threadCpuUsage()];
  return (all.user + all.system - ours.user - ours.system) / 1_000;
}
