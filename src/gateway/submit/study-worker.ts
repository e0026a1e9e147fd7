// The thread of close reading: one document after the other.
import { parentPort } from 'node:worker_threads';
import { AppError } from '#domain/error.ts';
import type { StudyReply, StudyRequest } from './study-messages.ts';
import { study } from './study-tasks.ts';

parentPort?.on('message', (request: StudyRequest) => parentPort?.postMessage(replyTo(request)));

/** What is no finding about the document ends the thread: whoever asked is told, and another thread takes its place. */
function replyTo(request: StudyRequest): StudyReply {
  const { id } = request;
  try {
    return { kind: 'found', id, found: study(request) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: 'failed', id, code: error.code, sentence: error.message, facts: error.facts };
  }
}
