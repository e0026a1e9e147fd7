// Long looks, in one thread for the whole process: an SFTP session would wait for them. Like Node's own thread pool it holds nothing of
// anybody's, starts when it is first needed, and keeps no process alive.
import { Worker } from 'node:worker_threads';
import { AppError } from '#domain/error.ts';
import { isLookReply, type Looked, type LookRequest } from './look-messages.ts';

let worker: Worker | null = null;
let asked: PromiseWithResolvers<Looked> | null = null;
let last: Promise<unknown> = Promise.resolve();

/** One at a time: a document that waits for its turn costs no copy. Throws what the look throws, and `internal` when the thread fails. */
export function lookElsewhere(request: LookRequest): Promise<Looked> {
  const turn = last.then(() => ask(request));
  last = turn.catch(() => undefined);
  return turn;
}

function ask(request: LookRequest): Promise<Looked> {
  worker ??= start();
  asked = Promise.withResolvers<Looked>();
  worker.ref();
  worker.postMessage(request);
  return asked.promise;
}

function start(): Worker {
  const started = new Worker(new URL('./look-worker.ts', import.meta.url));
  started.on('message', (reply: unknown) => {
    if (!isLookReply(reply)) return;
    started.unref();
    if (reply.kind === 'looked') asked?.resolve(reply.looked);
    else asked?.reject(new AppError(reply.code, reply.sentence, { facts: reply.facts }));
  });
  started.on('error', (error) => lose(started, error));
  started.on('exit', (status) => lose(started, new Error(`the thread ended with status ${status}`)));
  started.unref();
  return started;
}

/** The next look starts another one. */
function lose(lost: Worker, cause: unknown): void {
  if (worker !== lost) return;
  worker = null;
  asked?.reject(new AppError('internal', 'The document could not be looked at; try again.', { cause }));
}
