// How late the event loop of this thread comes to what is due.
import { createHistogram, performance } from 'node:perf_hooks';
import { systemClock, untilBeat } from '#runtime/clock.ts';
import type { Metrics } from '#runtime/metrics.ts';

/** Between two looks while there is work: each wakes the thread. */
const LOOK_EVERY_MS = 50;
/** And while it rests, at beats: twenty a second took more of the processor than all else that a daemon at rest does. */
const REST_EVERY_MS = 10_000;
/** Of its time, what a thread at rest is busy at most. */
const REST_SHARE_MAX = 0.05;
const NS_PER_S = 1e9;
const NS_PER_MS = 1e6;

interface LoopDelay extends Disposable {
  /** How late it was at most, in whole milliseconds, since this was last asked. */
  takeLatest(): number;
}

/** Dispose to look no more. */
export function measureLoopDelay(metrics: Metrics, thread: string): LoopDelay {
  const delays = createHistogram();
  let latestNs = 0;
  let seen = performance.eventLoopUtilization();
  let timer = lookIn(LOOK_EVERY_MS);

  function lookIn(periodMs: number): NodeJS.Timeout {
    const ms = untilBeat(systemClock, periodMs);
    return setTimeout(look, ms, performance.now() + ms).unref();
  }

  function look(dueMs: number): void {
    const lateNs = Math.max(Math.round((performance.now() - dueMs) * NS_PER_MS), 1);
    delays.record(lateNs);
    latestNs = Math.max(latestNs, lateNs);
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, seen);
    seen = now;
    timer = lookIn(utilization > REST_SHARE_MAX ? LOOK_EVERY_MS : REST_EVERY_MS);
  }

  const rows = {
    dropgate_loop_delay_seconds: {
      help: 'How late the event loop of a thread is, the 99th percentile since the last reading.',
      label: 'thread',
    },
    dropgate_loop_delay_max_seconds: { help: 'How late the event loop of a thread is, the most since the last reading.', label: 'thread' },
  };
  metrics.read(rows, async () => {
    const late = (ns: number): ReadonlyMap<string, number> => new Map([[thread, ns / NS_PER_S]]);
    const readings = {
      dropgate_loop_delay_seconds: late(delays.percentile(99)),
      dropgate_loop_delay_max_seconds: late(delays.max),
    };
    delays.reset();
    return readings;
  });
  return {
    takeLatest() {
      const latestMs = Math.round(latestNs / NS_PER_MS);
      latestNs = 0;
      return latestMs;
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
