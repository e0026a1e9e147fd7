// Many accounts whose core rings through Redis, and says so: they are asked for seldom, until it does not say so any more.
import { expect, it } from 'vitest';
import { HEADER } from '#contract/headers.ts';
import { FAMILY_NAMES } from '#domain/family.ts';
import { startGateway } from '#gateway/gateway.ts';
import { calm } from '../../../support/calm.ts';
import { hasRedis, startRedis } from '../../../support/redis-server.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

const ACCOUNTS = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`account-${at}`, 'key']));
const FEEDS = Object.keys(ACCOUNTS).length * FAMILY_NAMES.length;
const STEP_MS = 30_000;
const MINUTE = 60_000;

it.runIf(hasRedis)('feeds that are rung for are asked for seldom, and all of them within ten minutes once that is in doubt', async () => {
  await using redis = await startRedis();
  let rings: Readonly<Record<string, string>> = { [HEADER.rings]: 'core' };
  const world = await startWorld(
    scripted(() => ({ status: 204, headers: rings })),
    { accounts: ACCOUNTS, hinted: false, start: (options) => startGateway({ ...options, queueServer: redis.place }) },
  );
  const asked = (): number => world.service.seen.filter(({ path }) => path.includes('/incoming')).length;
  async function passes(minutes: number): Promise<number> {
    const before = asked();
    for (let step = 0; step < (minutes * MINUTE) / STEP_MS; step++) {
      world.clock.advance(STEP_MS);
      await calm();
    }
    return asked() - before;
  }
  await until('the gateway to be announced', async () => {
    world.clock.advance(1_000);
    const gateways = await redis.ask('smembers', 'dropgate:gateways');
    return Array.isArray(gateways) && gateways.length === 1;
  });
  await passes(25);
  const inAnHour = await passes(60);
  expect(inAnHour).toBeGreaterThan(0);
  expect(inAnHour).toBeLessThan(FEEDS);
  rings = {};
  // One of them is asked before.
  expect(await passes(20)).toBeGreaterThan(FEEDS);
});

it.runIf(hasRedis)('an account that is added is rung for here at once', async () => {
  await using redis = await startRedis();
  const world = await startWorld(
    scripted(() => ({ status: 204 })),
    { accounts: { seller: 'key' }, hinted: false, start: (options) => startGateway({ ...options, queueServer: redis.place }) },
  );
  const rungFor = (account: string): Promise<unknown> => redis.ask('hget', 'dropgate:serving', account);
  const incarnation = await until('rings to go to the gateway', () => rungFor('seller'));
  expect(await rungFor('buyer')).toBeNull();
  // No time passes: it is not what is told again and again.
  await world.addAccount('buyer', 'key');
  await until('rings for the new account to go there, too', async () => (await rungFor('buyer')) === incarnation);
});
