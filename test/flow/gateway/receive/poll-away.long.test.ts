// A service that is away every few moments while much waits for an account: each time it is there something comes, and no page is read twice.
import { expect, it } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { ACCOUNT, MINUTE, numbers, type Polled, pages, passing, poll, said, serve, started } from '../../../support/polled.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';
import type { World } from '../../../support/world/world.ts';

const DOCUMENTS = 200;
const PAGE = 20;
const STEP_MS = 2_000;

/** It answers so many requests, and then is away for so long. */
function dies({ service, clock }: Polled, answers: number, awayMs: number): void {
  let left = answers;
  let backAtMs = 0;
  service.manners.fault = () => {
    if (clock.now() < backAtMs) return FAULTS.lostRequest;
    if (left-- > 0) return;
    left = answers;
    backAtMs = clock.now() + awayMs;
    return FAULTS.lostRequest;
  };
}

/** Many documents at once, which the service tells of. */
function arrive({ service }: Polled, world: World): void {
  for (let index = 0; index < DOCUMENTS; index++) service.arrive(ACCOUNT, Buffer.from(invoice({ id: `A-${index}` })));
  world.gateway().ring(ACCOUNT, 'Invoice');
}

it('a list that is longer than the lives of the service is read to its end, and its documents come', async () => {
  const there = await serve();
  const { service, clock } = there;
  const world = await poll(there);
  await started(world, service);
  service.manners.limitMax = PAGE;
  const [beganMs, asked] = [clock.now(), pages(service).length];
  dies(there, 12, 3_000);
  arrive(there, world);
  await passing(world, 'all', () => numbers(world).length === DOCUMENTS, STEP_MS);
  expect(new Set(numbers(world)).size).toBe(DOCUMENTS);
  expect(clock.now() - beganMs).toBeLessThan(5 * MINUTE);
  // Each life begins with one page more; the first ones show what limit there is.
  const lives = (DOCUMENTS + DOCUMENTS / PAGE) / 12;
  expect(pages(service).length - asked).toBeLessThan(DOCUMENTS / PAGE + 2 * lives + 10);
});

it('a document is not set aside because the service is away whenever it is its turn', async () => {
  const there = await serve();
  const { service } = there;
  const world = await poll(there);
  await started(world, service);
  // Pages are answered, and of documents hardly any.
  dies(there, 4, 20_000);
  arrive(there, world);
  await passing(world, 'all', () => numbers(world).length === DOCUMENTS, STEP_MS);
  expect(said(world, 'poll.stuck')).toBe(false);
});

it('what comes while a page cannot be read is not kept waiting by it', async () => {
  const there = await serve();
  const { service, clock } = there;
  const world = await poll(there);
  await started(world, service);
  service.manners.limitMax = PAGE;
  // The third page is one that the service cannot show.
  service.manners.fault = ({ query }) => (Number(query.get('offset')) > 25 ? FAULTS.internalError : undefined);
  arrive(there, world);
  await passing(world, 'the first pages', () => numbers(world).length >= 2 * PAGE - 1);
  service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'LATE' })));
  const arrivedMs = clock.now();
  await passing(world, 'the late one', () => numbers(world).includes('LATE'), STEP_MS);
  expect(clock.now() - arrivedMs).toBeLessThan(11 * MINUTE);
  service.manners.fault = () => undefined;
  await passing(world, 'all', () => numbers(world).length === DOCUMENTS + 1, 10_000);
});

it('a service that starts a little later than the gateway is asked again after seconds', async () => {
  const there = await serve();
  const { service, clock } = there;
  const world = await poll(there);
  await started(world, service);
  await world.stop();
  service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'FIRST' })));
  const thereAtMs = clock.now() + 3_000;
  service.manners.fault = () => (clock.now() < thereAtMs ? FAULTS.lostRequest : undefined);
  await world.restart();
  await passing(world, 'the document', () => numbers(world).includes('FIRST'), 100);
  expect(clock.now() - thereAtMs).toBeLessThan(10_000);
});

it('what is new comes though no life of the gateway is long enough to compare all that came lately', async () => {
  const there = await serve();
  const { service } = there;
  const world = await poll(there);
  await started(world, service);
  service.manners.limitMax = PAGE;
  arrive(there, world);
  await passing(world, 'all', () => numbers(world).length === DOCUMENTS, STEP_MS);
  await world.stop();
  service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'NEW' })));
  // It reads the first pages, and then dies.
  const until = pages(service).length + 4;
  service.manners.fault = () => (pages(service).length < until ? undefined : FAULTS.lostRequest);
  await world.restart();
  await passing(world, 'the new one', () => numbers(world).includes('NEW'), 100);
});
