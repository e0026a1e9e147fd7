// Loaded into a daemon before the program (--import), in each of its threads: while a file is there whose name the environment gives, the core's
// thread does nothing at all.
import { existsSync } from 'node:fs';
import { threadName } from 'node:worker_threads';

const { DROPGATE_STALL = '' } = process.env;
if (threadName === 'core') {
  setInterval(() => {
    while (existsSync(DROPGATE_STALL)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }, 20).unref();
}
