// A thread that validates the files that it is told, one after the other.
import { parentPort } from 'node:worker_threads';
import { reportOnFile } from './report.ts';

export interface Assignment {
  readonly file: string;
  readonly day: string;
}

parentPort?.on('message', ({ file, day }: Assignment) => parentPort?.postMessage(reportOnFile(file, day)));
