// A service that takes 30 requests a minute: polling, marking and submitting share them, and submits come first.
import { expect, it } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { ACCOUNT, MINUTE, numbers, passing, poll, serve, started } from '../../../support/polled.ts';
import { until } from '../../../support/until.ts';

it.each([
  ['told in headers', true],
  ['not told', false],
])('30 requests a minute, %s: 200 documents come at one refusal at the most, and no submit waits for marks', async (_, told) => {
  const there = await serve({ requests: 30, windowMs: MINUTE, told });
  const { service, clock } = there;
  const world = await poll(there);
  await started(world, service);
  for (let index = 0; index < 200; index++) service.arrive(ACCOUNT, Buffer.from(invoice({ id: `A-${index}` })));
  await passing(world, 'all', () => numbers(world).length === 200, 5_000);

  const marked = (): number => service.holding.all.filter(({ direction, readAt }) => direction === 'incoming' && readAt !== null).length;
  const before = marked();
  expect(before).toBeLessThan(200);
  for (let minute = 0; minute < 5; minute++) {
    for (let index = 0; index < 4; index++) {
      const droppedAt = clock.now();
      await world.drop(ACCOUNT, `s-${minute}-${index}.xml`, invoice({ id: `S-${minute}-${index}` }));
      await until('the create', () => service.holding.all.some(({ documentId }) => documentId === `S-${minute}-${index}`));
      expect(clock.now() - droppedAt).toBe(0);
      clock.advance(10_000);
    }
    clock.advance(20_000);
  }
  await passing(world, 'all marks', () => marked() === 200, 5_000);
  expect(service.limits.refused()).toBeLessThanOrEqual(1);
  expect(new Set(numbers(world)).size).toBe(200);
});
