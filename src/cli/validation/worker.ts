// A thread that validates the files that it is told, one after the other.
import { answerTasks } from '#runtime/threads/thread.ts';
import { type FileReport, reportOnFile } from './report.ts';

export interface ReportTasks {
  report: { readonly asked: { readonly file: string; readonly day: string }; readonly found: FileReport };
}

answerTasks<ReportTasks>({ report: ({ file, day }) => reportOnFile(file, day) });
