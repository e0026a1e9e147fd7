// Preloaded into the daemon by `npm run bench -- rest`: at SIGUSR2 each of its threads that run JavaScript says what its heap takes. Plain JavaScript, for
// each of them loads it.
import { readlinkSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { BroadcastChannel, isMainThread, threadName } from 'node:worker_threads';

const STDERR = 2;
const asked = new BroadcastChannel('bench.heaps');
asked.unref();
asked.onmessage = say;

function say() {
  const spaces = getHeapSpaceStatistics().map(({ space_name, physical_space_size }) => [space_name, physical_space_size]);
  const heap = {
    event: 'bench.heap',
    thread: Number(basename(readlinkSync('/proc/thread-self'))),
    isMain: isMainThread,
    called: threadName,
    entry: basename(process.argv[1] ?? ''),
    spaces: Object.fromEntries(spaces),
    used: getHeapStatistics().used_heap_size,
    buffers: process.memoryUsage().arrayBuffers,
  };
  writeSync(STDERR, `${JSON.stringify(heap)}\n`);
}

if (isMainThread) {
  process.on('SIGUSR2', () => {
    asked.postMessage(null);
    say();
  });
}
