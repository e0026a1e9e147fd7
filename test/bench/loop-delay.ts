// Preloaded into the daemon by the benches: SIGUSR2 prints the event-loop delay of its main thread, where SFTP is served, and begins anew.
import { writeSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const MS = 1e6;
const STDERR = 2;

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('SIGUSR2', () => {
    const [p50, p99, max] = [delay.percentile(50), delay.percentile(99), delay.max].map((nanoseconds) => nanoseconds / MS);
    writeSync(STDERR, `${JSON.stringify({ event: 'bench.loop-delay', p50, p99, max })}\n`);
    delay.reset();
  });
}
