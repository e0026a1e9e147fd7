// The threads that read documents beside the event loop, where an SFTP session would wait for it. Like Node's own thread pool they serve the
// whole process and keep nothing: each starts when it is first needed, and rests when it is not.
import { Semaphore } from '#runtime/concurrency.ts';
import { openThread } from '#runtime/threads/thread.ts';
import type { ReaderTasks } from './worker.ts';

/** Two, so that the judgement of a very long document holds up no other one. */
const THREADS = 2;

const free = Array.from({ length: THREADS }, () => openThread<ReaderTasks>({ entry: new URL('./worker.ts', import.meta.url) }));
const room = new Semaphore(THREADS);

/**
 * Runs a task (worker.ts) in a thread that is free: a document that waits for its turn costs no copy. Throws what reading throws, `unreadable` and
 * `invalid`, and `internal` when the thread is lost.
 */
export async function readBeside<Name extends keyof ReaderTasks>(
  name: Name,
  asked: ReaderTasks[Name]['asked'],
): Promise<ReaderTasks[Name]['found']> {
  using _place = await room.take();
  const thread = free.pop();
  if (!thread) throw new RangeError('more readers than threads');
  try {
    return await thread.ask(name, asked);
  } finally {
    free.push(thread);
  }
}
