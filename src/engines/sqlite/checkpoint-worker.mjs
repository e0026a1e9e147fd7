// The thread of checkpoints (`CheckpointTasks`). Whoever reads or writes is not held up by it. Plain JavaScript, and no more than the other end of
// `openThread` speaks: a thread that runs TypeScript has ten MiB for reading it.
import { DatabaseSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', (requests) => {
  for (const { id, asked } of requests) {
    parentPort?.postMessage([{ id, found: checkpoint(asked) }]);
  }
});

/** What fails ends the thread, which whoever asked is told. */
function checkpoint(path) {
  // Not kept open: the last one to close a database removes its log.
  using connection = new DatabaseSync(path);
  return connection.prepare('pragma wal_checkpoint(passive)').get().log;
}
