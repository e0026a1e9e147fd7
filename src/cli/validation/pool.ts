// Many files validated on all cores: reports in the order of the files, however fast each thread is.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Report, reportOnFile } from './report.ts';
import type { Assignment } from './worker.ts';

/** Below this many files a thread costs more than it brings: it has the rules to load. */
const FILES_ALONE_MAX = 100;
/** Files handed to a thread ahead of its answers. */
const AHEAD = 4;

/** The reports on the files, in their order. */
export async function* reportsOn(files: Iterable<string>, day: string): AsyncGenerator<Report> {
  const rest = files[Symbol.iterator]();
  for (let done = 0; done < FILES_ALONE_MAX; done++) {
    const next = rest.next();
    if (next.done) return;
    yield reportOnFile(next.value, day);
  }
  yield* reportsOfThreads(rest, day);
}

async function* reportsOfThreads(files: Iterator<string>, day: string): AsyncGenerator<Report> {
  const threads = Array.from({ length: availableParallelism() }, startThread);
  const waiting: Promise<Report>[] = [];
  try {
    let turn = 0;
    const assign = (): void => {
      const next = files.next();
      const thread = threads[turn++ % threads.length];
      if (!next.done && thread) waiting.push(thread.report({ file: next.value, day }));
    };
    for (let ahead = 0; ahead < threads.length * AHEAD; ahead++) assign();
    for (let report = waiting.shift(); report; report = waiting.shift()) {
      yield await report;
      assign();
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.close()));
  }
}

interface Thread {
  report(assignment: Assignment): Promise<Report>;
  close(): Promise<unknown>;
}

/** A thread answers in the order in which it was asked. */
function startThread(): Thread {
  const worker = new Worker(new URL('./worker.ts', import.meta.url));
  const asked: PromiseWithResolvers<Report>[] = [];
  worker.on('message', (report: Report) => asked.shift()?.resolve(report));
  worker.on('error', (error) => {
    for (const { reject } of asked.splice(0)) reject(error);
  });
  return {
    report(assignment) {
      const answer = Promise.withResolvers<Report>();
      answer.promise.catch(() => undefined);
      asked.push(answer);
      worker.postMessage(assignment);
      return answer.promise;
    },
    close: () => worker.terminate(),
  };
}
