// Time goes on until something has come: a step is taken when what the one before it began has ended, however slow disk and machine are.
// Otherwise days would pass while a commit is fsynced.
import { calm } from './calm.ts';
import { until } from './until.ts';

/** `advance` moves all clocks that there are. */
export function untilInTime<Value>(
  advance: (ms: number) => void,
  what: string,
  condition: () => Value | Promise<Value>,
  stepMs = 1_000,
): Promise<NonNullable<Value>> {
  return until(what, async () => {
    advance(stepMs);
    await calm();
    return condition();
  });
}
