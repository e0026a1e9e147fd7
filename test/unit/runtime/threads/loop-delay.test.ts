// How late an event loop is: nearly not while it rests, and for as long as something held it up.
import { it, onTestFinished } from 'vitest';
import { Metrics } from '#runtime/metrics.ts';
import { measureLoopDelay } from '#runtime/threads/loop-delay.ts';
import { until } from '../../../support/until.ts';

it('is told since the last reading, also of a thread that had rested', async () => {
  const metrics = new Metrics();
  const measuring = measureLoopDelay(metrics, 'main');
  onTestFinished(() => measuring[Symbol.dispose]());
  const most = async (): Promise<number> => {
    const rows = await metrics.measured();
    const row = rows.find(({ name }) => name === 'dropgate_loop_delay_max_seconds');
    return row?.values[0]?.value ?? Number.NaN;
  };
  // Whenever the next look is due, something longer than the pause between two looks is seen.
  await until('a delay of a second', async () => {
    const beganMs = performance.now();
    while (performance.now() - beganMs < 1_100);
    await new Promise(setImmediate);
    return (await most()) > 0.05 || undefined;
  });
  await until('no delay', async () => (await most()) < 0.05 || undefined);
});
