// Preloaded into the daemon by `npm run bench -- rest`: SIGUSR2 prints the heap of each thread. Plain JavaScript, for each thread loads it.
import { subscribe } from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

const STDERR = 2;
const workers = [];

if (isMainThread) {
  subscribe('worker_threads', ({ worker }) => workers.push(worker));
  process.on('SIGUSR2', async () => {
    const running = workers.filter(({ threadId }) => threadId > 0);
    const heaps = [getHeapStatistics(), ...(await Promise.all(running.map((worker) => worker.getHeapStatistics())))];
    const external = process.memoryUsage().external;
    const threads = heaps.map((heap) => ({ used: heap.used_heap_size, taken: heap.total_physical_size }));
    writeSync(STDERR, `${JSON.stringify({ event: 'bench.heaps', threads, external })}\n`);
  });
}
