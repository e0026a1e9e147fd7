// A sweep that was interrupted goes on where it was; what the service tells of meanwhile stands above that, and is not kept waiting for it.
import { expect, it, vi } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { LONG_MS } from '../../../support/patience.ts';
import { ACCOUNT, HOUR, MINUTE, numbers, passing, poll, serve, started } from '../../../support/polled.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';

// Hours of the clock, step by step.
vi.setConfig({ testTimeout: LONG_MS });

it('what came while a sweep was interrupted comes when that has gone on, not with the next look in hours', async () => {
  const there = await serve();
  const { service, clock } = there;
  const world = await poll(there, {}, { hinted: true });
  await started(world, service);
  service.manners.limitMax = 20;
  const arrive = (id: string) => service.arrive(ACCOUNT, Buffer.from(invoice({ id })));
  for (let index = 0; index < 60; index++) arrive(`A-${index}`);
  service.manners.fault = ({ query }) => (Number(query.get('offset')) > 25 ? FAULTS.lostRequest : undefined);
  const interrupted = (times: number): boolean => world.logged('poll.postponed') >= times;
  world.gateway().ring(ACCOUNT, 'Invoice');
  await passing(world, 'the sweep to be interrupted', () => interrupted(1), 100);
  const document = Buffer.from(invoice({ id: 'NEW' }));
  world.gateway().ring(ACCOUNT, 'Invoice', service.arrive(ACCOUNT, document).integrationId);
  await passing(world, 'what was rung for to be interrupted, too', () => interrupted(2), 100);
  const beganMs = clock.now();
  service.manners.fault = () => undefined;
  await passing(world, 'all', () => numbers(world).length === 61, MINUTE);
  expect(clock.now() - beganMs).toBeLessThan(HOUR);
});

/** An account that has received more than a comparison goes through in a turn. */
async function receivedMany() {
  const there = await serve();
  const { service } = there;
  const world = await poll(there, {}, { hinted: true });
  await started(world, service);
  service.manners.limitMax = 3;
  const arrive = (id: string) => service.arrive(ACCOUNT, Buffer.from(invoice({ id })));
  for (let index = 0; index < 60; index++) arrive(`A-${index}`);
  world.gateway().ring(ACCOUNT, 'Invoice');
  await passing(world, 'all', () => numbers(world).length === 60, 100);
  const isMarked = (integrationId: string): boolean =>
    service.requests.some(({ path, query }) => path.includes('readinvoices') && query.get('integrationId') === integrationId);
  return { service, world, arrive, isMarked };
}

it('what comes while a long list is compared is there before the end of that', async () => {
  const { service, world, arrive, isMarked } = await receivedMany();
  let came = '';
  /** Of each page that was compared, whether the new one was in the outbox. */
  const pages: boolean[] = [];
  /** A mark moves documents in the list that is being compared. */
  let marksBetween = 0;
  const PAGES = 30;
  service.manners.fault = ({ path, query }) => {
    if (path.includes('readinvoices') && pages.length > 0 && pages.length < PAGES) marksBetween++;
    if (!path.endsWith('/invoices/incoming') || !query.has('updatedAtFrom')) return undefined;
    pages.push(numbers(world).includes('NEW'));
    if (pages.length === 3) {
      came = arrive('NEW').integrationId;
      world.gateway().ring(ACCOUNT, 'Invoice');
    }
    return undefined;
  };
  await passing(world, 'the comparison', () => pages.length > PAGES, HOUR);
  const [first = Number.POSITIVE_INFINITY] = pages.flatMap((isThere, page) => (isThere ? [page] : []));
  expect(first).toBeLessThan(10);
  expect(numbers(world).filter((each) => each === 'NEW')).toHaveLength(1);
  expect(marksBetween).toBe(0);
  await passing(world, 'the mark', () => isMarked(came), HOUR);
});

it('what is announced while a comparison was interrupted is there at once, and marked when that has ended', async () => {
  const { service, world, arrive, isMarked } = await receivedMany();
  service.manners.fault = ({ path, query }) =>
    path.endsWith('/invoices/incoming') && query.has('updatedAtFrom') && Number(query.get('offset')) > 25 ? FAULTS.lostRequest : undefined;
  await passing(world, 'the comparison to be interrupted', () => world.logged('poll.postponed') > 0, MINUTE);
  const came = arrive('NEW').integrationId;
  world.gateway().ring(ACCOUNT, 'Invoice', came);
  await passing(world, 'the new one', () => numbers(world).includes('NEW'), 100);
  await world.pass(10_000, 1_000);
  expect(isMarked(came)).toBe(false);
  service.manners.fault = () => undefined;
  await passing(world, 'the mark', () => isMarked(came), MINUTE);
});
