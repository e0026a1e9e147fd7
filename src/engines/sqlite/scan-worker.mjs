// The thread of scans (`ScanTasks`). Plain JavaScript, and no more than the other end of `openThread` speaks: a thread that runs TypeScript has
// ten MiB for reading it.
import { DatabaseSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', (requests) => {
  for (const { id, asked } of requests) {
    parentPort?.postMessage([answer(id, asked)]);
  }
});

/** What SQLite refuses ends no thread: others may wait for their scans. */
function answer(id, asked) {
  try {
    return { id, found: scan(asked) };
  } catch (error) {
    return { id, code: 'storage', sentence: `The ledger could not be read: ${error.message}`, facts: {} };
  }
}

function scan({ path, sql, parameters }) {
  // Not kept open: the last one to close a database removes its log.
  using connection = new DatabaseSync(path, { readOnly: true });
  return connection.prepare(sql).all(...parameters);
}
