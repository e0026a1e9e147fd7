// Documents that the service has announced: into the outbox without a look at the list; a name that leads nowhere is made good by a sweep.
import { expect, it } from 'vitest';
import { invoice, invoiceOfSize } from '../../../support/documents.ts';
import { type Mailbox, mailbox } from '../../../support/mailbox.ts';
import type { Script } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { refuseReads } from '../../../support/world/ledger-files.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

async function start(box: Mailbox, script: Script = box.script): Promise<World> {
  const world = await startWorld(scripted(script), { accounts: { 'beta-as': 'key-of-beta' }, hinted: true });
  await until('the first sweep', () => box.reads() >= 1);
  // An ordinary sweep is over: the feed has started.
  const before = box.put(invoice({ id: 'before' }));
  world.gateway().ring('beta-as', 'Invoice');
  await until('the first mark', () => box.isRead(before));
  world.clear('beta-as', 'outbox');
  return world;
}

const outbox = (world: World): string[] => world.files('beta-as', 'outbox');

it('an announced document is published without a look at the list, and marked read a moment later', async () => {
  const box = mailbox();
  const world = await start(box);
  const lists = box.lists();
  const integrationId = box.put(invoice());
  world.gateway().ring('beta-as', 'Invoice', integrationId);
  await until('the outbox file', () => outbox(world).length === 1);
  expect({ lists: box.lists(), isRead: box.isRead(integrationId) }).toEqual({ lists, isRead: false });
  await world.inTime('the mark', () => box.isRead(integrationId));
});

it('a name that comes again publishes another version, and nothing where nothing has changed', async () => {
  const box = mailbox();
  const world = await start(box);
  const integrationId = box.put(invoice({ note: 'first' }));
  world.gateway().ring('beta-as', 'Invoice', integrationId);
  await until('the first version', () => outbox(world).length === 1);
  world.gateway().ring('beta-as', 'Invoice', integrationId);
  box.replace(integrationId, invoice({ note: 'second' }));
  world.gateway().ring('beta-as', 'Invoice', integrationId);
  await until('the second version', () => outbox(world).some((name) => name.endsWith('~2.xml')));
  expect(outbox(world)).toHaveLength(2);
});

it('what was published by its name is not published again by a sweep, nor after a restart', async () => {
  const box = mailbox();
  const world = await start(box);
  const integrationId = box.put(invoice());
  world.gateway().ring('beta-as', 'Invoice', integrationId);
  await until('the outbox file', () => outbox(world).length === 1);
  world.clear('beta-as', 'outbox');
  world.gateway().ring('beta-as', 'Invoice');
  await until('the mark', () => box.isRead(integrationId));
  const lists = box.lists();
  await world.restart();
  await until('a sweep after the restart', () => box.lists() > lists + 1);
  expect(outbox(world)).toEqual([]);
});

it('announced documents of several accounts are fetched side by side, as many as there is memory for', async () => {
  const accounts = ['alpha-as', 'beta-as', 'gamma-as'];
  const box = mailbox();
  const { promise: together, resolve: allAsked } = Promise.withResolvers<void>();
  let asked = 0;
  const world = await startWorld(
    scripted(async (request) => {
      if (!request.query.has('integrationId') || request.path.endsWith('/readinvoices')) return { status: 204 };
      if (++asked === 24) allAsked();
      await together;
      return box.script(request);
    }),
    { accounts: Object.fromEntries(accounts.map((name) => [name, `key-of-${name}`])) },
  );
  for (const account of accounts) {
    for (let at = 0; at < 8; at++) {
      const integrationId = box.put(invoice({ id: `${account}-${at}` }));
      world.gateway().ring(account, 'Invoice', integrationId);
    }
  }
  await until('every document', () => accounts.every((account) => world.files(account, 'outbox').length === 8));
});

it('a long announced document is published once, as soon as there is room for a long one', async () => {
  const box = mailbox();
  const world = await start(box);
  const document = invoiceOfSize(1024 * 1024);
  const lists = box.lists();
  const integrationId = box.put(document);
  world.gateway().ring('beta-as', 'Invoice', integrationId);
  await until('the outbox file', () => outbox(world).length === 1);
  expect(Buffer.compare(world.read('beta-as', 'outbox', outbox(world)[0] ?? ''), document)).toBe(0);
  expect(box.lists()).toBe(lists);
});

it('an announced document that cannot be fetched is found by a sweep', async () => {
  const box = mailbox();
  let refused = 0;
  let missing = 'none yet';
  const world = await start(box, (request) => {
    const named = request.query.get('integrationId') === missing;
    return named && refused++ === 0 ? { status: 503, body: 'busy' } : box.script(request);
  });
  const lists = box.lists();
  missing = box.put(invoice());
  world.gateway().ring('beta-as', 'Invoice', missing);
  await until('the warning', () => world.logged('poll.postponed') > 0);
  expect(outbox(world)).toEqual([]);
  await world.pass(4_000);
  await until('the outbox file', () => outbox(world).length === 1);
  expect(box.lists()).toBeGreaterThan(lists);
});

it('an announced document is fetched as soon as the ledger can be read again', async () => {
  const box = mailbox();
  const world = await start(box);
  {
    using _away = refuseReads(world.data, 'sweeps');
    world.gateway().ring('beta-as', 'Invoice', box.put(invoice()));
    await until('the failure', () => world.logged('queue.handler-failed') > 0);
  }
  await world.pass(5_000);
  await until('the outbox file', () => outbox(world).length === 1);
});

it('a document of which a later version could not be fetched yet is marked when that is published, and not before', async () => {
  const box = mailbox();
  let isAway = false;
  const world = await start(box, (request) =>
    isAway && request.query.has('integrationId') && !request.path.endsWith('/readinvoices')
      ? { status: 503, body: 'busy' }
      : box.script(request),
  );
  const integrationId = box.put(invoice({ note: 'first' }));
  world.gateway().ring('beta-as', 'Invoice', integrationId);
  await until('the first version', () => outbox(world).length === 1);
  isAway = true;
  box.replace(integrationId, invoice({ note: 'second' }));
  const other = box.put(invoice({ id: 'other' }));
  world.gateway().ring('beta-as', 'Invoice', integrationId);
  await until('the warning', () => world.logged('poll.postponed') > 0);
  // What the first version rang for.
  world.clock.advance(5_000);
  await world.inTime('a look at the list', () => world.logged('poll.postponed') > 1);
  expect(box.isRead(integrationId)).toBe(false);
  isAway = false;
  await world.inTime('the mark', () => box.isRead(integrationId) && box.isRead(other), 10_000);
  expect(outbox(world).filter((name) => name.includes(integrationId.replaceAll('-', '').slice(-8)))).toHaveLength(2);
});
