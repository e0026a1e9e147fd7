// Preloaded into the daemon by the benches: SIGUSR2 prints how many requests its gateway has made of the service so far. Plain JavaScript, for each
// thread loads it, and would need ten MiB to read TypeScript.
import { subscribe } from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const STDERR = 2;

if (isMainThread) {
  let requests = 0;
  // Over connections, and to an embedded core.
  for (const each of ['undici:request:create', 'dropgate:exchange:ask']) {
    subscribe(each, () => {
      requests++;
    });
  }
  process.on('SIGUSR2', () => {
    writeSync(STDERR, `${JSON.stringify({ event: 'bench.requests', requests })}\n`);
  });
}
