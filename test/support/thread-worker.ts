// A thread to try threads with: it doubles, refuses, or fails.
import { threadId } from 'node:worker_threads';
import { AppError } from '#domain/error.ts';
import { answerTasks } from '#runtime/threads/thread.ts';

export interface TryTasks {
  double: { readonly asked: number; readonly found: number };
  refuse: { readonly asked: string; readonly found: never };
  fail: { readonly asked: null; readonly found: never };
  which: { readonly asked: null; readonly found: number };
}

answerTasks<TryTasks>({
  double: (number) => number * 2,
  refuse(sentence) {
    throw new AppError('invalid', sentence, { facts: { told: true } });
  },
  fail() {
    throw new Error('no refusal');
  },
  which: () => threadId,
});
