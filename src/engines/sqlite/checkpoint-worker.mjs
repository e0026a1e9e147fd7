// The thread of checkpoints (`CheckpointTasks`): reads and writes go on beside it. Plain JavaScript, and no more than the other end of
// `openThread` speaks: a thread that runs TypeScript has ten MiB for reading it.
import { DatabaseSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', (requests) => {
  for (const { id, asked } of requests) {
    parentPort?.postMessage([{ id, found: checkpoint(asked) }]);
  }
});

/** A failure ends the thread, and the caller is told. */
function checkpoint(path) {
  // Not kept open: the last one to close a database removes its log.
  using connection = new DatabaseSync(path);
  return connection.prepare('pragma wal_checkpoint(passive)').get().log;
}
