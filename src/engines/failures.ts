// What engines do about failures.

export const NO_REASON = 'a write failed without a reason';

/** Ends the thread at once, to go on from what the next start finds: nobody can catch the error, and nothing comes after it. */
export function endThread(error: Error): Promise<never> {
  setImmediate(() => {
    throw error;
  });
  return new Promise(() => {});
}
