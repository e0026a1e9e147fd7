// Polling a service that only follows the specification, and behaves as badly as services do.
import { describe, expect, it } from 'vitest';
import { documentOf, invoice } from '../../../support/documents.ts';
import { ACCOUNT, HOUR, MINUTE, numbers, type Polled, pages, passing, poll, said, serve, started } from '../../../support/polled.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';
import { until } from '../../../support/until.ts';

describe('where an account starts', () => {
  async function history(): Promise<Polled> {
    const there = await serve();
    const old = there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'READ' })));
    old.readAt = there.clock.now();
    there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'UNREAD' })));
    there.clock.advance(10 * 24 * HOUR);
    there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'LATER' }))).readAt = there.clock.now();
    return there;
  }

  it.each([
    ['unread', ['NEW', 'UNREAD']],
    ['all', ['LATER', 'NEW', 'READ', 'UNREAD']],
    ['now', ['NEW']],
    ['2026-11-28', ['LATER', 'NEW']],
  ])('from %s', async (from, expected) => {
    const there = await history();
    const world = await poll(there, { from });
    await passing(world, 'every feed to have started', () => pages(there.service, 'despatch-advices').length > 0, 100);
    await until('quiet', () => !there.service.busy());
    there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'NEW' })));
    await passing(world, 'the new one', () => numbers(world).includes('NEW'), MINUTE);
    expect(numbers(world)).toEqual(expected);
  });

  it.each([
    ['unread', 1, 110],
    ['2026-11-30', 40, 60],
  ])('from %s, though the budget of a minute is spent many times before all is read', async (from, before, wanted) => {
    const there = await serve({ requests: 30, windowMs: MINUTE, told: true });
    const { service, clock } = there;
    service.manners.limitMax = 3;
    const arrive = (id: string) => service.arrive(ACCOUNT, Buffer.from(invoice({ id })));
    for (let index = 0; index < before; index++) arrive(`READ-${index}`).readAt = clock.now();
    clock.advance(10 * 24 * HOUR);
    const ids = Array.from({ length: wanted }, (_, index) => `WANTED-${index}`);
    for (const id of ids) arrive(id);
    const world = await poll(there, { from });
    const beganMs = clock.now();
    await passing(world, 'all that is wanted', () => numbers(world).length === wanted || clock.now() - beganMs > HOUR, 20_000);
    expect(numbers(world)).toEqual(ids.sort());
  });

  it('an answer that is lost while the unread are taken brings everything that is not known to have been read, and nothing else', async () => {
    const there = await history();
    let lose = 1;
    there.service.manners.fault = ({ path }) => (path.includes('readinvoices') && lose-- > 0 ? FAULTS.lostAnswer : undefined);
    const world = await poll(there);
    await passing(world, 'the unread one', () => numbers(world).length > 0);
    await passing(world, 'another poll', () => pages(there.service).length > 5, MINUTE);
    expect(numbers(world)).toEqual(['UNREAD']);
  });

  it('without marks nothing is ever read: neither what is published, nor by the way it is found', async () => {
    const there = await history();
    const world = await poll(there, { marks: false });
    await passing(world, 'the unread one', () => numbers(world).includes('UNREAD'));
    there.service.arrive(ACCOUNT, Buffer.from(documentOf('Order', { id: 'O-1' })));
    await passing(world, 'an order', () => numbers(world).includes('O-1'), MINUTE);
    expect(there.service.requests.filter(({ path }) => path.includes('/read'))).toEqual([]);
  });
});

describe('a list that is not as it should be', () => {
  it('a document that becomes visible late, below many others, is found by the next reconcile', async () => {
    const there = await serve();
    const world = await poll(there);
    await started(world, there.service);
    there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'LATE' })), there.clock.now() + 2 * HOUR);
    for (let index = 0; index < 40; index++) there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: `A-${index}` })));
    await passing(world, 'the others', () => numbers(world).length === 40, MINUTE);
    await passing(world, 'the late one', () => numbers(world).includes('LATE'), 10 * MINUTE);
    expect(there.clock.now()).toBeLessThan(Date.parse('2026-11-21T10:00:00Z') + 9 * HOUR);
    expect(numbers(world)).toHaveLength(41);
  });

  it('what came weeks before a start, while the gateway was away for months, comes below what came lately', async () => {
    const there = await serve();
    // What we mark is passed once more, which would hide the fault.
    const world = await poll(there, { marks: false });
    there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'BEFORE' })));
    await passing(world, 'the first', () => numbers(world).length === 1, MINUTE);
    await world.stop();
    there.clock.advance(10 * 24 * HOUR);
    there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'LONG-AGO' })));
    there.clock.advance(50 * 24 * HOUR);
    for (let index = 0; index < 30; index++) there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: `A-${index}` })));
    await world.restart();
    await passing(world, 'those that came lately', () => numbers(world).length >= 31, MINUTE);
    await passing(world, 'all', () => numbers(world).includes('LONG-AGO'), MINUTE);
    expect(numbers(world)).toHaveLength(32);
  });

  it('a service that ignores the offset is noticed and told, and what it shows is published', async () => {
    const there = await serve();
    there.service.manners.ignoresOffset = true;
    for (let index = 0; index < 30; index++) there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: `A-${index}` })));
    const world = await poll(there);
    await passing(world, 'all', () => numbers(world).length === 30);
    expect(said(world, 'poll.offset-ignored')).toBe(true);
    expect(pages(there.service).length).toBeLessThan(8);
    there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'NEW' })));
    await passing(world, 'the new one', () => numbers(world).includes('NEW'), MINUTE);
  });

  it('what such a service can list on no page is taken by the endpoint that hands out what is unread', async () => {
    const there = await serve();
    const { service } = there;
    Object.assign(service.manners, { ignoresOffset: true, limitMax: 20 });
    const world = await poll(there);
    await started(world, service);
    for (let index = 0; index < 70; index++) service.arrive(ACCOUNT, Buffer.from(invoice({ id: `A-${index}` })));
    await passing(world, 'all', () => numbers(world).length === 70, MINUTE);
    await passing(world, 'all marks', () => service.holding.all.every(({ readAt }) => readAt !== null), MINUTE);
    expect(new Set(numbers(world)).size).toBe(70);
  });

  it.each([
    ['one of them cannot be fetched at once', { requests: 1_000, fails: 1 }],
    ['the budget is spent before all of them are fetched', { requests: 30, fails: 0 }],
  ])('and none that was taken is lost: %s', async (_, { requests, fails }) => {
    const there = await serve({ requests, windowMs: MINUTE, told: true });
    const { service } = there;
    Object.assign(service.manners, { ignoresOffset: true, limitMax: 20 });
    const world = await poll(there);
    await started(world, service);
    let left = fails;
    let drains = false;
    service.manners.fault = ({ path, query }) => {
      drains ||= path.includes('readinvoices');
      return drains && query.has('integrationId') && left-- > 0 ? FAULTS.internalError : undefined;
    };
    for (let index = 0; index < 70; index++) service.arrive(ACCOUNT, Buffer.from(invoice({ id: `A-${index}` })));
    await passing(world, 'all to be taken', () => service.holding.all.every(({ readAt }) => readAt !== null), MINUTE);
    for (let minutes = 0; minutes < 30; minutes++) await passing(world, 'retries', () => true, MINUTE);
    expect(new Set(numbers(world)).size).toBe(70);
  });

  it.each([1, 2])('a service that shows the last %d of them for every offset behind the end is not read for ever', async (last) => {
    const there = await serve();
    const { service, clock } = there;
    for (let index = 0; index < 12; index++) service.arrive(ACCOUNT, Buffer.from(invoice({ id: `A-${index}` }))).readAt = clock.now();
    let asked = 0;
    service.manners.fault = ({ path, query }) => {
      if (!path.endsWith('/invoices/incoming') || !query.has('offset')) return undefined;
      query.set('offset', String(Math.min(Number(query.get('offset')), service.holding.all.length - last)));
      return asked++ > 100 ? FAULTS.internalError : undefined;
    };
    const world = await poll(there);
    await started(world, service);
    service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'NEW' })));
    await passing(world, 'the new one', () => numbers(world).length > 0, MINUTE);
    expect(numbers(world)).toEqual(['NEW']);
    expect(asked).toBeLessThan(20);
  });

  it('a service that forgets the marks of what it hands out is asked for the unread until it says nothing new', async () => {
    const there = await serve();
    const { service } = there;
    const world = await poll(there);
    await started(world, service, 'readorders');
    let asked = 0;
    service.manners.fault = ({ path, query }) => {
      if (!path.includes('readorders')) return undefined;
      query.set('includeRead', 'true');
      return asked++ > 100 ? FAULTS.internalError : undefined;
    };
    service.arrive(ACCOUNT, Buffer.from(documentOf('Order', { id: 'O-1' })));
    await passing(world, 'the order', () => numbers(world).length > 0, MINUTE);
    for (let minutes = 0; minutes < 5; minutes++) await passing(world, 'more polls', () => true, MINUTE);
    expect(numbers(world)).toEqual(['O-1']);
    expect(asked).toBe(2);
  });

  it('a page size that is refused is remembered', async () => {
    const there = await serve();
    there.service.manners.limitMax = 20;
    const world = await poll(there);
    await started(world, there.service);
    const refused = () => pages(there.service).filter(({ status }) => status === 400).length;
    const before = refused();
    expect(before).toBeGreaterThan(0);
    for (let index = 0; index < 70; index++) there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: `P-${index}` })));
    await passing(world, 'all', () => numbers(world).length === 70, MINUTE);
    expect(refused()).toBe(before);
  });

  it('families that cannot be marked one by one: an answer of the read endpoint that is lost loses no document', async () => {
    const there = await serve();
    const world = await poll(there);
    await started(world, there.service, 'readorders');
    let lost = 0;
    there.service.manners.fault = ({ path }) => (path.includes('readorders') && lost++ < 3 ? FAULTS.lostAnswer : undefined);
    for (let index = 0; index < 10; index++) {
      there.service.arrive(ACCOUNT, Buffer.from(documentOf('Order', { id: `O-${index}` })));
      await passing(world, 'this one', () => numbers(world).includes(`O-${index}`), MINUTE);
    }
    await passing(world, 'all marks', () => there.service.holding.all.every(({ readAt }) => readAt !== null), MINUTE);
    expect(numbers(world)).toHaveLength(10);
  });
});

describe('a document that cannot be had', () => {
  it('holds up no other, is told of once, and comes when it can', async () => {
    const there = await serve();
    const world = await poll(there);
    await started(world, there.service);
    const bad = there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'BAD' })));
    there.service.manners.fault = ({ query }) => (query.get('integrationId') === bad.integrationId ? FAULTS.internalError : undefined);
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 15; index++) there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: `G-${round}-${index}` })));
      await passing(world, 'the others', () => numbers(world).length === 15 * (round + 1), MINUTE);
    }
    await passing(world, 'the alarm', () => said(world, 'poll.stuck'), MINUTE);
    // Sweeps are complete again: they stop where they did before.
    there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'AFTER' })));
    await passing(world, 'the next', () => numbers(world).includes('AFTER'), MINUTE);
    there.service.manners.fault = () => undefined;
    await passing(world, 'the bad one', () => numbers(world).includes('BAD'), MINUTE);
    expect(world.logged('poll.stuck')).toBe(1);
  });

  it('is tried again in time by a clock that was set back', async () => {
    const there = await serve();
    const { service, clock } = there;
    const world = await poll(there);
    await started(world, service);
    const bad = service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'BAD' })));
    service.manners.fault = ({ query }) => (query.get('integrationId') === bad.integrationId ? FAULTS.internalError : undefined);
    await passing(world, 'the alarm', () => said(world, 'poll.stuck'), MINUTE);
    clock.step(-25 * HOUR);
    service.manners.fault = () => undefined;
    const beganMs = clock.now();
    await passing(world, 'the bad one', () => numbers(world).includes('BAD'), 5 * MINUTE);
    expect(clock.now() - beganMs).toBeLessThan(2 * HOUR);
  });

  it('because the service denies for a day what it lists, comes when that is over, as a later version too', async () => {
    const there = await serve();
    const { service } = there;
    const world = await poll(there);
    await started(world, service);
    const held = service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'DENIED' })));
    await passing(world, 'the first version', () => numbers(world).length === 1, MINUTE);
    service.holding.replace(held, Buffer.from(invoice({ id: 'DENIED', note: 'second' })));
    service.manners.fault = ({ query, headers }) =>
      query.has('integrationId') && headers.accept === 'application/xml' ? { does: false, answers: { status: 204 } } : undefined;
    await passing(world, 'to be given up', () => said(world, 'poll.gone'), HOUR);
    service.manners.fault = () => undefined;
    await passing(world, 'the second version', () => numbers(world).length === 2, 10 * MINUTE);
  });

  it.each([
    ['the service denies it for less than a day', 22, { does: false, answers: { status: 204 } }],
    ['the service fails for two days', 50, FAULTS.internalError],
  ] as const)('because %s, is not forgotten', async (_, hours, fault) => {
    const there = await serve();
    const { service, clock } = there;
    const world = await poll(there);
    await started(world, service);
    service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'DENIED' })));
    service.manners.fault = ({ query, headers }) =>
      query.has('integrationId') && headers.accept === 'application/xml' ? fault : undefined;
    await passing(world, 'the alarm', () => said(world, 'poll.stuck'), MINUTE);
    const since = clock.now();
    await passing(world, 'the time', () => clock.now() - since > hours * HOUR, HOUR / 2);
    expect([said(world, 'poll.still-stuck'), said(world, 'poll.gone')]).toEqual([true, false]);
    service.manners.fault = () => undefined;
    await passing(world, 'it', () => numbers(world).includes('DENIED'), 5 * MINUTE);
  });

  it('a list whose answer is no list is no end of it: what else there is comes, and the next poll asks again', async () => {
    const there = await serve();
    const world = await poll(there);
    await started(world, there.service);
    for (let index = 0; index < 40; index++) there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: `A-${index}` })));
    let broken = true;
    there.service.manners.fault = ({ path, query }) =>
      broken && path.endsWith('/invoices/incoming') && Number(query.get('offset') ?? 0) > 0 ? FAULTS.unreadableAnswer : undefined;
    await passing(world, 'the first page', () => numbers(world).length === 25, MINUTE);
    broken = false;
    await passing(world, 'all', () => numbers(world).length === 40, MINUTE);
  });
});

it('an id that two families share: the first document stays as it is, and the other is told of, not taken for a version of it', async () => {
  const there = await serve();
  const world = await poll(there);
  await started(world, there.service);
  const { integrationId } = there.service.arrive(ACCOUNT, Buffer.from(invoice({ id: 'FIRST' })));
  await passing(world, 'the first', () => numbers(world).includes('FIRST'), MINUTE);
  Object.assign(there.service.arrive(ACCOUNT, Buffer.from(documentOf('Order', { id: 'SECOND' }))), { integrationId });
  await passing(world, 'a word of it', () => said(world, 'poll.id-shared') || numbers(world).length > 3, MINUTE);
  const beganMs = there.clock.now();
  await passing(world, 'many polls', () => there.clock.now() - beganMs > HOUR, MINUTE);
  expect(numbers(world)).toEqual(['FIRST']);
  expect(world.log.find((line) => line.includes('poll.id-shared'))).toContain(integrationId);
});
