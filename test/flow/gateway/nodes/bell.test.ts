// Nodes with a Redis: the one that owns a home hears at once of a file that another has taken for it. No second passes here: nobody looks into the ledger by itself.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readNodes } from '#gateway/ledger/nodes.ts';
import { ownerOf } from '#gateway/nodes/rendezvous.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { hasRedis, type StartedRedis, startRedis } from '../../../support/redis-server.ts';
import { obliging } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { uploadInvoice } from '../../../support/uploads.ts';
import { homesOf } from '../../../support/world/homes.ts';
import { type NamedNode, type NamedNodes, openNamedNodes } from '../../../support/world/named-nodes.ts';

const NAMES = ['one', 'two'];

interface Both extends NamedNodes {
  readonly one: NamedNode;
}

/** Two nodes; the account's home, which the first had while it was alone, is its owner's, the second's. */
async function startBoth(redis: StartedRedis): Promise<Both> {
  const nodes = await openNamedNodes(['seller'], obliging);
  const how = { calmMs: 0, queueServer: redis.place };
  const one = await nodes.start('one', {}, how);
  await until('rings to go to it', async () => (await rungFor(redis, 'seller')) !== null);
  const two = await nodes.start('two', {}, how);
  await untilMoved(one, two);
  await until('both to reach Redis', async () => {
    const gateways = await redis.ask('smembers', 'dropgate:gateways');
    return Array.isArray(gateways) && gateways.length === NAMES.length;
  });
  return { ...nodes, one };
}

async function untilMoved(one: NamedNode, two: NamedNode): Promise<void> {
  expect(ownerOf('seller', NAMES)).toBe('two');
  await until('its owner to have it', () => {
    for (const { clock } of [one, two]) clock.advance(1_000);
    return two.facts().some(({ event }) => event === 'home.taken-up');
  });
}

function rungFor(redis: StartedRedis, account: string): Promise<unknown> {
  return redis.ask('hget', 'dropgate:serving', account);
}

describe.runIf(hasPostgres && hasRedis)('Nodes with a Redis', () => {
  it('send a file at once that another has taken', async () => {
    await using redis = await startRedis();
    const { data, service, one } = await startBoth(redis);
    await uploadInvoice(one.gateway.intake, 'seller', 'a');
    await homesOf(data).receipt('seller', 'a.xml', 'accepted');
    expect(service.creates()).toHaveLength(1);
  });

  it('are rung for an account where its home is, and are so again once Redis has lost that', async () => {
    await using redis = await startRedis();
    const { ledger } = await startBoth(redis);
    const owner = (await readNodes(ledger.read)).find(({ node }) => node === 'two')?.incarnation;
    expect(owner).toBeTruthy();
    expect(await rungFor(redis, 'seller')).toBe(owner);
    await redis.kill();
    await redis.start();
    await until('it to be said again', async () => (await rungFor(redis, 'seller')) === owner);
  });

  it('count penalties for failed logins together, those of each way in by themselves', async () => {
    await using redis = await startRedis();
    const nodes = await openNamedNodes([], obliging);
    const [one, two] = [
      await nodes.start('one', {}, { queueServer: redis.place }),
      await nodes.start('two', {}, { queueServer: redis.place }),
    ];
    const source = '192.0.2.7';
    await until('both to count there', async () => {
      await one.gateway.penalties?.('page')(source, 5_000);
      return (await two.gateway.penalties?.('page')(source, 0)) !== 0;
    });
    expect(await two.gateway.penalties?.('sftp')(source, 0)).toBe(0);
  });

  it('have a home rung for at all of them that its owner could not take up', async () => {
    await using redis = await startRedis();
    const nodes = await openNamedNodes(['seller'], obliging);
    const one = await nodes.start('one');
    const two = await nodes.start('two', {}, { queueServer: redis.place });
    await until('it to reach Redis', async () => Number(await redis.ask('scard', 'dropgate:gateways')) === 1);
    const spool = join(nodes.data, 'spool', 'seller');
    rmSync(spool, { recursive: true, force: true });
    writeFileSync(spool, 'no folder');
    await one.stop();
    await until('it to be tried', () => {
      two.clock.advance(1_000);
      return two.facts().some(({ event }) => event === 'home.not-moved');
    });
    await until('rings to go to all', async () => (await rungFor(redis, 'seller')) === null);
  });

  it('say that a home is theirs no more, where the next one says nothing', async () => {
    await using redis = await startRedis();
    const nodes = await openNamedNodes(['seller'], obliging);
    const one = await nodes.start('one', {}, { calmMs: 0, queueServer: redis.place });
    await until('rings to go to it', async () => (await rungFor(redis, 'seller')) !== null);
    await untilMoved(one, await nodes.start('two', {}, { calmMs: 0 }));
    await until('rings to go to all', async () => (await rungFor(redis, 'seller')) === null);
  });
});
