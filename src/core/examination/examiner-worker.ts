// The examining thread: one submission after the other, in the order in which they come.
import { parentPort } from 'node:worker_threads';
import { AppError } from '#domain/error.ts';
import { examine } from './examine.ts';
import type { ExaminationReply, ExaminationRequest } from './replies.ts';

parentPort?.on('message', (request: ExaminationRequest) => parentPort?.postMessage(replyTo(request)));

/** What is no refusal ends the thread: whoever asked is told, and another thread takes its place. */
function replyTo({ id, submission }: ExaminationRequest): ExaminationReply {
  try {
    return { kind: 'examined', id, examined: examine(submission) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, facts } = error;
    return { kind: 'refused', id, code, message, facts };
  }
}
