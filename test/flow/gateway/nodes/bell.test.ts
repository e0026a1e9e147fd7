// Nodes with a Redis: the one that owns a home hears at once of a file that another has taken for it. No second passes here: nobody looks into the ledger by itself.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sealPath } from '#gateway/disk/paths.ts';
import { startGateway } from '#gateway/gateway.ts';
import { readNodes } from '#gateway/ledger/nodes.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { ownerOf } from '#gateway/nodes/rendezvous.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import type { Gateway } from '#gateway/options.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { openSeal } from '#runtime/seal.ts';
import { manualClock } from '../../../support/clock.ts';
import { invoice } from '../../../support/documents.ts';
import { hasPostgres, newPostgresDatabase } from '../../../support/postgres.ts';
import { hasRedis, type StartedRedis, startRedis } from '../../../support/redis-server.ts';
import { obliging, startScriptedService } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { gatewayOptions } from '../../../support/world/gateway-settings.ts';
import { homesOf } from '../../../support/world/homes.ts';

const NAMES = ['one', 'two'];
const LEASE_MS = 3_600_000;

/** Two nodes; the account's home, which the first had while it was alone, is its owner's, the second's. */
async function startBoth(redis: StartedRedis) {
  const database = await newPostgresDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const data = mkdtempSync(join(tmpdir(), 'dropgate-bell-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const service = await startScriptedService(obliging);
  onTestFinished(() => service[Symbol.asyncDispose]());
  const ledger = await openGatewayLedger(data, database.place);
  onTestFinished(() => ledger.close());
  await putAccount({ data, ledger, seal: await openSeal(sealPath(data), systemRandom), clock: manualClock() }, 'seller', 'key');
  const clock = manualClock();
  const nodes = new Map<string, Gateway>();
  const events: string[] = [];
  const log = openLog('info', { write: (line) => void events.push(String(JSON.parse(line).event)) });
  for (const name of NAMES) {
    const gateway = await startGateway({
      ...gatewayOptions(data, clock, log, { url: service.url }),
      databaseServer: database.place,
      queueServer: redis.place,
      node: { name, leaseMs: LEASE_MS, calmMs: 0, lost: () => undefined },
    });
    onTestFinished(() => gateway.close(AbortSignal.abort()));
    nodes.set(name, gateway);
    if (name === 'one') await until('rings to go to it', async () => (await rungFor(redis, 'seller')) !== null);
  }
  expect(ownerOf('seller', NAMES)).toBe('two');
  await until('its owner to have it', () => {
    clock.advance(1_000);
    return events.includes('home.taken-up');
  });
  await until('both to reach Redis', async () => {
    const gateways = await redis.ask('smembers', 'dropgate:gateways');
    return Array.isArray(gateways) && gateways.length === NAMES.length;
  });
  return { data, service, ledger, nodes };
}

function rungFor(redis: StartedRedis, account: string): Promise<unknown> {
  return redis.ask('hget', 'dropgate:serving', account);
}

describe.runIf(hasPostgres && hasRedis)('Nodes with a Redis', () => {
  it('send a file at once that another has taken', async () => {
    await using redis = await startRedis();
    const { data, service, nodes } = await startBoth(redis);
    const { intake } = nodes.get('one') ?? {};
    if (!intake) throw new Error('it has not started');
    const { upload, path } = await intake.open({
      home: 'seller',
      folder: 'inbox',
      name: 'a.xml',
      login: 'erp',
      session: 's',
      resume: false,
    });
    const bytes = invoice();
    writeFileSync(path, bytes);
    await intake.commit(upload, { size: bytes.length, sha256: null });
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
});
