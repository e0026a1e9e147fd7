// systemd hears that the daemon works while the loops turn, and nothing while one does not.
import { expect, it } from 'vitest';
import { startWatchdog } from '#cli/watchdog.ts';
import { openLog } from '#runtime/log.ts';
import { calm } from '../../support/calm.ts';
import { manualClock } from '../../support/clock.ts';

it('tells it four times within WatchdogSec, until a loop stalls, and again when it turns', async () => {
  const clock = manualClock();
  const events: string[] = [];
  let told = 0;
  let stall: PromiseWithResolvers<void> | null = null;
  using _watchdog = startWatchdog({
    withinMs: 60_000,
    turn: async () => stall?.promise,
    tell: async () => void told++,
    clock,
    log: openLog('info', { write: (line) => void events.push(JSON.parse(line).event) }),
  });
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 5_000) {
      clock.advance(5_000);
      await calm();
    }
  }
  await pass(60_000);
  expect(told).toBe(4);
  stall = Promise.withResolvers<void>();
  await pass(300_000);
  expect(told).toBe(4);
  expect(events).toEqual(['daemon.stalled']);
  stall.resolve();
  stall = null;
  await pass(30_000);
  expect(told).toBeGreaterThan(4);
});
