// Accounts whose polls hang keep a lane of their own: however many there are, no other waits for them.

import { expect, it, onTestFinished } from 'vitest';
import { calm } from '../../../support/calm.ts';
import { manualClock } from '../../../support/clock.ts';
import { invoice } from '../../../support/documents.ts';
import { startStandIn } from '../../../support/stand-in/stand-in.ts';
import { until } from '../../../support/until.ts';
import { given } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

const HANGING = 20;
const SECOND = 1_000;
const WELL = 'well';

it('20 accounts that hang never make another one wait', async () => {
  const clock = manualClock();
  const names = Array.from({ length: HANGING }, (_, index) => `hangs-${index}`);
  const accounts = Object.fromEntries([...names, WELL].map((name) => [name, `key-of-${name}`]));
  const service = await startStandIn({ clock, accounts });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const released = Promise.withResolvers<void>();
  let held = 0;
  service.manners.fault = async ({ path }) => {
    if (!path.includes('/hangs-')) return undefined;
    held++;
    await released.promise;
    return undefined;
  };
  const world = await startWorld(given(service), { accounts, clock, hinted: false });
  onTestFinished(() => released.resolve());
  const begunMs = clock.now();
  const outbox = (): number => world.files(WELL, 'outbox').length;
  for (const [index, count] of [1, 2].entries()) {
    service.arrive(WELL, Buffer.from(invoice({ id: `R-${count}` })));
    // It is polled once a minute.
    await until(`document ${count}`, async () => {
      clock.advance(SECOND);
      await calm();
      return outbox() === count;
    });
    expect(clock.now() - begunMs).toBeLessThan((index + 1) * 90 * SECOND);
  }
  expect(held).toBeGreaterThanOrEqual(HANGING);
  released.resolve();
});
