// Working through a list, a few at once: one that fails does not stop the others, unless none of them could succeed.
import { AppError } from '#domain/error.ts';

export interface Failed<Each> {
  readonly each: Each;
  readonly error: unknown;
}

/** Begins all in order, `atOnce` at a time, and returns those that failed. Throws `rate-limited` as soon as one does: the rest is left. */
export async function inLanes<Each>(all: readonly Each[], atOnce: number, work: (each: Each) => Promise<unknown>): Promise<Failed<Each>[]> {
  const failed: Failed<Each>[] = [];
  let limited: AppError | null = null;
  const left = all.values();
  const lane = async (): Promise<void> => {
    for (const each of left) {
      if (limited) return;
      try {
        await work(each);
      } catch (error) {
        if (isLimited(error)) limited = error;
        else failed.push({ each, error });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, lane));
  if (limited) throw limited;
  return failed;
}

/** The service, or the budget, says that it is too early: nothing was asked, and nothing is known of what was not. */
export function isLimited(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'rate-limited';
}
