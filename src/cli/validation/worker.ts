// A thread that validates the files that it is told, one after the other.
import { answerTasks } from '#runtime/threads/thread.ts';
import { type Report, reportOnFile } from './report.ts';

export interface ReportTasks {
  report: { readonly asked: { readonly file: string; readonly day: string }; readonly found: Report };
}

answerTasks<ReportTasks>({ report: ({ file, day }) => reportOnFile(file, day) });
