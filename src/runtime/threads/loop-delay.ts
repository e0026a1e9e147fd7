// How late the event loop of this thread comes to what is due.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from '#runtime/metrics.ts';

/** Between two looks: each wakes the thread. */
const LOOK_EVERY_MS = 50;
const NS = 1e9;

/** Dispose to look no more. */
export function measureLoopDelay(metrics: Metrics, thread: string): Disposable {
  const delays = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  delays.enable();
  const rows = {
    dropgate_loop_delay_seconds: {
      help: 'How late the event loop of a thread is, the 99th percentile since the last reading.',
      label: 'thread',
    },
    dropgate_loop_delay_max_seconds: { help: 'How late the event loop of a thread is, the most since the last reading.', label: 'thread' },
  };
  metrics.read(rows, async () => {
    const late = (ns: number): ReadonlyMap<string, number> => new Map([[thread, Math.max(ns / NS - LOOK_EVERY_MS / 1_000, 0)]]);
    const readings = {
      dropgate_loop_delay_seconds: late(delays.percentile(99)),
      dropgate_loop_delay_max_seconds: late(delays.max),
    };
    delays.reset();
    return readings;
  });
  return { [Symbol.dispose]: () => void delays.disable() };
}
