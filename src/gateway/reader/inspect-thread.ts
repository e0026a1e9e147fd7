// Long looks, in one thread for the whole process: an SFTP session would wait for them. Like Node's own thread pool it holds nothing of
// anybody's, and starts when it is first needed.
import { openThread } from '#runtime/threads/thread.ts';
import type { Look, Looked, LookTasks } from './inspect-worker.ts';

const thread = openThread<LookTasks>({ entry: new URL('./inspect-worker.ts', import.meta.url), ahead: 1 });

/** One at a time: a document that waits for its turn costs no copy. Throws what the look throws, and `internal` when the thread fails. */
export function lookElsewhere(look: Look): Promise<Looked> {
  return thread.ask('look', look);
}
