// Working through a list, a few at once: one that fails does not stop the others, unless none of them could succeed.
import { AppError } from '#domain/error.ts';
import { forEachLimit } from '#runtime/concurrency.ts';

/** So many for each work under way, one after the other without an answer, are enough to believe that the service is away. */
const UNANSWERED_MAX = 2;

export interface Failed<Each> {
  readonly each: Each;
  readonly error: unknown;
}

export interface Round<Each> {
  /** Those that failed. */
  readonly failed: readonly Failed<Each>[];
  /** What the last of them failed with, when the service is away and the rest was not begun. */
  readonly away: { readonly error: unknown } | null;
}

/** Begins all in order, `atOnce` at a time. Throws `rate-limited` as soon as one does: the rest is left. */
export async function tryEach<Each>(all: readonly Each[], atOnce: number, work: (each: Each) => Promise<unknown>): Promise<Round<Each>> {
  const failed: Failed<Each>[] = [];
  let away: Round<Each>['away'] = null;
  let unanswered = 0;
  function* whileThere(): Generator<Each> {
    for (const each of all) {
      if (away) return;
      yield each;
    }
  }
  await forEachLimit(whileThere(), atOnce, async (each) => {
    try {
      await work(each);
      unanswered = 0;
    } catch (error) {
      if (isLimited(error)) throw error;
      failed.push({ each, error });
      unanswered = isUnanswered(error) ? unanswered + 1 : 0;
      if (unanswered >= UNANSWERED_MAX * atOnce) away = { error };
    }
  });
  return { failed, away };
}

/** The service, or the budget, says that it is too early: nothing was asked, and nothing is known of what was not. */
export function isLimited(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'rate-limited';
}

/** No whole answer came: the service is away, or this one request was lost. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof AppError && error.facts.unanswered === true;
}
