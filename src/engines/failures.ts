// What engines do about failures, and what those above are told of them.
import { AppError } from '#domain/error.ts';

/** Whether a read or a write failed because the database is away, which says nothing about what was asked. */
export function isAway(error: unknown): boolean {
  return error instanceof AppError && error.facts.isAway === true;
}

export const NO_REASON = 'a write failed without a reason';

/** Ends the thread at once, to go on from what the next start finds: nobody can catch the error, and nothing comes after it. */
export function endThread(error: Error): Promise<never> {
  setImmediate(() => {
    throw error;
  });
  return new Promise(() => {});
}
