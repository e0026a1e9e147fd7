// Many files validated on all cores: reports in the order of the files, however fast each thread is.
import { availableParallelism } from 'node:os';
import { openThread } from '#runtime/threads/thread.ts';
import { type FileReport, reportOnFile } from './report.ts';
import type { ReportTasks } from './worker.ts';

/** Below this many files a thread costs more than it brings: it has the rules to load. */
const FILES_ALONE_MAX = 100;
/** Files handed to a thread ahead of its answers. */
const AHEAD = 4;

/** The reports on the files, in their order. */
export async function* reportsOn(files: Iterable<string>, day: string): AsyncGenerator<FileReport> {
  const rest = files[Symbol.iterator]();
  for (let done = 0; done < FILES_ALONE_MAX; done++) {
    const next = rest.next();
    if (next.done) return;
    yield reportOnFile(next.value, day);
  }
  yield* reportsOfThreads(rest, day);
}

async function* reportsOfThreads(files: Iterator<string>, day: string): AsyncGenerator<FileReport> {
  const entry = new URL('./worker.ts', import.meta.url);
  const threads = Array.from({ length: availableParallelism() }, () => openThread<ReportTasks>({ entry }));
  const waiting: Promise<FileReport>[] = [];
  try {
    let turn = 0;
    const assign = (): void => {
      const next = files.next();
      const thread = threads[turn++ % threads.length];
      if (next.done || !thread) return;
      const report = thread.ask('report', { file: next.value, day });
      report.catch(() => undefined);
      waiting.push(report);
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
