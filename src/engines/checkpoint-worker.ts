// The thread of checkpoints. Whoever reads or writes is not held up by it.
import { DatabaseSync } from 'node:sqlite';
import { answerTasks } from '#runtime/thread.ts';

export interface CheckpointTasks {
  /** Of the database at this path. */
  checkpoint: { readonly asked: string; readonly found: undefined };
}

answerTasks<CheckpointTasks>({
  checkpoint(path) {
    // Not kept open: the last one to close a database removes its log.
    using connection = new DatabaseSync(path);
    connection.exec('pragma wal_checkpoint(passive)');
    return undefined;
  },
});
