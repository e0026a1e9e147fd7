// What the network does with sent documents becomes one receipt for each stage, by sweeps alone: no hint ever comes here.
import { expect, it } from 'vitest';
import { insertPublication } from '#gateway/ledger/publications.ts';
import { nameOfReceipt } from '#gateway/model/file-names.ts';
import { documentOf, invoice } from '../../../support/documents.ts';
import { ACCOUNT, HOUR, MINUTE, type Polled, passing, poll, serve } from '../../../support/polled.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';
import type { StandIn } from '../../../support/stand-in/stand-in.ts';
import { until } from '../../../support/until.ts';
import type { World } from '../../../support/world/world.ts';

/** Drops documents D-0, D-1, … and waits until the service has so many; `sent` are there already. Resolves with the items. */
async function send({ service }: Polled, world: World, count: number, sent = 0): Promise<string[]> {
  const items: string[] = [];
  for (let index = sent; index < count; index++) items.push(await world.drop(ACCOUNT, `d-${index}.xml`, invoice({ id: `D-${index}` })));
  await passing(world, 'all to be accepted', () => receipts(world, 'accepted').length === count, 100);
  expect(service.holding.all).toHaveLength(count);
  return items;
}

/** Names of files with a receipt of this stage, each as often as it has one. */
const receipts = (world: World, stage: string): string[] =>
  world
    .files(ACCOUNT, 'receipts')
    .filter((name) => name.endsWith(`.${stage}.json`))
    .map((name) => name.slice(0, name.indexOf('.')))
    .sort();

function tell(service: StandIn, number: number, status: string): void {
  const held = service.holding.all.find(({ documentId }) => documentId === `D-${number}`);
  if (held) held.status = status;
}

const one = async (): Promise<Polled & { world: World }> => {
  const there = await serve();
  return { ...there, world: await poll(there) };
};

it.each(['delivered', 'rejected', 'failed'])('sent, then %s: one receipt each, and nobody asks any more', async (last) => {
  const { world, ...there } = await one();
  await send(there, world, 1);
  tell(there.service, 0, 'sent');
  await passing(world, 'sent', () => receipts(world, 'sent').length === 1, MINUTE);
  tell(there.service, 0, last);
  await passing(world, last, () => receipts(world, last).length === 1, MINUTE);
  const asked = there.service.requests.length;
  const statuses = () => there.service.requests.slice(asked).filter(({ path }) => path.endsWith('/outgoing/status'));
  await passing(world, 'two hours', () => there.clock.now() > Date.parse('2026-11-21T12:30:00Z'), MINUTE);
  expect(statuses()).toEqual([]);
  expect(world.files(ACCOUNT, 'receipts')).toHaveLength(3);
});

it('many together, over lost answers and restarts: never two receipts of a stage, never none', async () => {
  const { world, ...there } = await one();
  await send(there, world, 12);
  let lose = 4;
  there.service.manners.fault = ({ path }) => (path.endsWith('/status') && lose-- > 0 ? FAULTS.lostAnswer : undefined);
  for (let index = 0; index < 12; index++) tell(there.service, index, 'sent');
  await passing(world, 'all sent', () => receipts(world, 'sent').length === 12, MINUTE);
  await world.restart();
  const stages = ['delivered', 'rejected', 'failed'];
  for (let index = 0; index < 12; index++) tell(there.service, index, stages[index % 3] ?? '');
  await passing(world, 'all ends', () => stages.every((stage) => receipts(world, stage).length === 4), MINUTE);
  await world.restart();
  await passing(world, 'another hour', () => there.clock.now() % HOUR < MINUTE, MINUTE);
  expect(world.files(ACCOUNT, 'receipts')).toHaveLength(12 * 3);
});

it('a few that were sent last are asked about together, and those that lie deeper one by one', async () => {
  const { world, ...there } = await one();
  await send(there, world, 15);
  for (let index = 2; index < 15; index++) tell(there.service, index, 'delivered');
  await passing(world, 'those on top', () => receipts(world, 'delivered').length === 13, MINUTE);
  await send(there, world, 18, 15);
  const asked = there.service.requests.length;
  for (const index of [0, 1, 15, 16, 17]) tell(there.service, index, 'delivered');
  await passing(world, 'the others', () => receipts(world, 'delivered').length === 18, MINUTE);
  const about = there.service.requests.slice(asked).flatMap(({ path, query }) => (path.endsWith('/outgoing/status') ? [query] : []));
  expect(about.map((query) => query.get('limit'))).toEqual(['10', '1', '1']);
});

it('one whose receipt cannot be written keeps none of the others from being told, with it or after it', async () => {
  const { world, ...there } = await one();
  const items = await send(there, world, 40);
  const name = nameOfReceipt('d-39.xml', items[39] ?? '', 'sent', 'json');
  await world.administer(({ ledger }) =>
    ledger.write([], async (rows) => {
      const taken = { accountRegNo: ACCOUNT, home: ACCOUNT, folder: 'receipts', staged: 'none', stage: 'sent' } as const;
      await insertPublication(rows, { ...taken, name, subject: 'x' });
      await insertPublication(rows, { ...taken, name: `${items[39]}_${name}`, subject: 'y' });
    }),
  );
  for (let index = 0; index < 40; index++) tell(there.service, index, 'sent');
  await passing(world, 'the first of the others', () => receipts(world, 'sent').length > 0, MINUTE);
  // In the same look: no time passes.
  await until('the others', () => receipts(world, 'sent').length === 39);
  expect(receipts(world, 'sent')).not.toContain('d-39');
  expect(world.log.join('')).toContain('two files of receipts cannot be told apart');
});

it('small pages, and more on its way than one look goes through: the oldest is told of all the same', async () => {
  const { world, ...there } = await one();
  there.service.manners.limitMax = 3;
  await send(there, world, 70);
  for (let index = 0; index < 70; index++) tell(there.service, index, 'sent');
  await passing(world, 'all sent', () => receipts(world, 'sent').length === 70, 10 * MINUTE);
  tell(there.service, 0, 'rejected');
  await passing(world, 'the oldest', () => receipts(world, 'rejected').length === 1, 10 * MINUTE);
});

it('a burst of more than one look goes through is told of soon, though all was gone through an hour ago', async () => {
  const { world, ...there } = await one();
  there.service.manners.limitMax = 3;
  const [before, all] = [70, 150];
  await send(there, world, before);
  for (let index = 0; index < before; index++) tell(there.service, index, 'delivered');
  await passing(world, 'those before', () => receipts(world, 'delivered').length === before, 10 * MINUTE);
  await send(there, world, all, before);
  for (let index = before; index < all; index++) tell(there.service, index, 'delivered');
  const beganMs = there.clock.now();
  await passing(world, 'the burst', () => receipts(world, 'delivered').length === all, MINUTE);
  expect(there.clock.now() - beganMs).toBeLessThan(HOUR);
});

it('what the service does not tell of is searched for less and less often', async () => {
  const { world, ...there } = await one();
  there.service.manners.limitMax = 3;
  await send(there, world, 110);
  for (let index = 0; index < 20; index++) tell(there.service, index, '');
  for (let index = 20; index < 110; index++) tell(there.service, index, 'sent');
  await passing(world, 'the others', () => receipts(world, 'sent').length === 90, MINUTE);
  const asked = (): number => there.service.requests.filter(({ path }) => path.endsWith('/outgoing/status')).length;
  const before = asked();
  const untilMs = there.clock.now() + 6 * HOUR;
  await passing(world, 'six hours', () => there.clock.now() >= untilMs, 5 * MINUTE);
  // A look has 20 pages, a search 30 more: less and less often.
  expect(asked() - before).toBeLessThanOrEqual(72 * 20 + 12 * 50);
});

it('one that was met by a search before it had arrived is told of soon, however deep it lies', async () => {
  const { world, ...there } = await one();
  there.service.manners.limitMax = 3;
  await send(there, world, 110);
  for (let index = 0; index < 110; index++) tell(there.service, index, 'sent');
  await passing(world, 'all sent', () => receipts(world, 'sent').length === 110, MINUTE);
  for (let index = 0; index < 30; index++) tell(there.service, index, 'delivered');
  const beganMs = there.clock.now();
  await passing(world, 'the oldest', () => receipts(world, 'delivered').length === 30, MINUTE);
  expect(there.clock.now() - beganMs).toBeLessThan(HOUR);
});

it('where the service rings, what it rings for right after a search comes a moment later', async () => {
  const there = await serve();
  const world = await poll(there, {}, { hinted: true });
  there.service.manners.limitMax = 3;
  await send(there, world, 110);
  const arrive = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index++) tell(there.service, index, 'delivered');
    world.gateway().ringStatus(ACCOUNT, 'Invoice');
    await passing(world, `all until ${to}`, () => receipts(world, 'delivered').length === to, 1_000);
  };
  for (let index = 30; index < 110; index++) tell(there.service, index, 'sent');
  await arrive(0, 15);
  const beganMs = there.clock.now();
  await arrive(15, 30);
  expect(there.clock.now() - beganMs).toBeLessThan(2 * MINUTE);
});

it('few requests, small pages and two families: the receipts of all come, though they take many windows', async () => {
  const there = await serve({ requests: 30, windowMs: MINUTE, told: true });
  const { service, clock } = there;
  service.manners.limitMax = 3;
  const world = await poll(there, { from: 'now' });
  for (let index = 0; index < 70; index++) {
    await world.drop(ACCOUNT, `i-${index}.xml`, invoice({ id: `I-${index}` }));
    await world.drop(ACCOUNT, `o-${index}.xml`, documentOf('Order', { id: `O-${index}` }));
  }
  await passing(world, 'all to be accepted', () => receipts(world, 'accepted').length === 140, MINUTE);
  for (const held of service.holding.all) held.status = 'sent';
  const untilMs = clock.now() + HOUR;
  await passing(world, 'an hour', () => receipts(world, 'sent').length === 140 || clock.now() >= untilMs, MINUTE);
  expect(receipts(world, 'sent')).toHaveLength(140);
});

it('a service that shows its last page for whatever lies behind its end is not asked without end', async () => {
  const { world, ...there } = await one();
  const { service } = there;
  service.manners.limitMax = 3;
  await send(there, world, 70);
  let asked = 0;
  service.manners.fault = ({ path, query }) => {
    if (!path.endsWith('/outgoing/status')) return undefined;
    query.set('offset', String(Math.min(Number(query.get('offset')), 66)));
    return ++asked < 500 ? undefined : FAULTS.lostRequest;
  };
  for (let index = 1; index < 70; index++) tell(service, index, 'sent');
  await passing(world, 'the others', () => receipts(world, 'sent').length === 69 || asked >= 500, MINUTE);
  // A look of 20 pages, a search of 25, and what goes on with the first after that.
  expect(asked).toBeLessThan(100);
});
