// A core and a gateway as processes of their own, with one Redis: the core rings, and the gateway looks. Where Redis is away, it asks as often as without.
import { describe, expect, it, onTestFinished } from 'vitest';
import { HEADER } from '#contract/headers.ts';
import type { DaemonPair } from '../support/daemon-pair.ts';
import { startPair } from '../support/daemon-pair.ts';
import { BUYER, SELLER } from '../support/documents.ts';
import { hasRedis, type RedisSettings, type StartedRedis, startRedis } from '../support/redis-server.ts';
import { uploadInvoice } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

const ACCOUNTS = [
  { accountRegNo: 'seller', participants: [SELLER], login: 'erp' },
  { accountRegNo: 'buyer', participants: [BUYER], login: 'buyer' },
];

async function stage(poll: string, settings?: RedisSettings): Promise<{ redis: StartedRedis; pair: DaemonPair }> {
  const redis = await startRedis(settings);
  onTestFinished(() => redis[Symbol.asyncDispose]());
  const { host, port } = redis.place;
  const queue = { url: `redis://${host}:${port}` };
  const pair = await startPair({
    accounts: ACCOUNTS,
    core: { config: { queue } },
    gateway: { config: { queue, gateway: { poll, pollSilent: poll } } },
  });
  onTestFinished(() => pair[Symbol.asyncDispose]());
  return { redis, pair };
}

function delivered({ gateway }: DaemonPair, ...ids: readonly string[]): Promise<unknown> {
  return until(`${ids} in the outbox`, () => {
    const names = gateway.files('buyer', 'outbox');
    return ids.every((id) => names.some((name) => name.includes(`_${id}_`)));
  });
}

describe.skipIf(!hasRedis)('A core that rings a gateway by Redis', () => {
  it('has documents published that no poll would find for a day, also after Redis was gone', async () => {
    const { redis, pair } = await stage('24h');
    // A start looks by itself: what comes after the first look does not.
    for (const id of ['first', 'second', 'third']) {
      await uploadInvoice(pair.gateway, id);
      await delivered(pair, id);
    }
    const ringer = async (): Promise<string | null> => (await fetch(`${pair.core.coreUrl}/health`)).headers.get(HEADER.rings);
    expect(await ringer()).toMatch(/^\w+$/);
    await redis.kill();
    await until('the core to say that it rings no more', async () => (await ringer()) === null);
    await uploadInvoice(pair.gateway, 'unheard');
    await pair.gateway.receipt('seller', 'unheard.xml', 'accepted');
    expect(pair.gateway.files('buyer', 'outbox')).toHaveLength(3);
    await redis.start();
    const isBack = ({ facts }: DaemonPair['core']): boolean => facts().some(({ event }) => event === 'bell.back');
    await until('both to be back', () => isBack(pair.core) && isBack(pair.gateway));
    await until('the next ring', async () => {
      const id = `after-${pair.gateway.files('seller', 'receipts').length}`;
      await uploadInvoice(pair.gateway, id);
      await pair.gateway.receipt('seller', `${id}.xml`, 'accepted');
      return pair.gateway.files('buyer', 'outbox').length > 3;
    });
    await delivered(pair, 'unheard');
  });

  it('does not have it at the start: both go on by polling, are ready, and say so', async () => {
    const { redis, pair } = await stage('1s', { isStarted: false });
    await uploadInvoice(pair.gateway, 'polled');
    await delivered(pair, 'polled');
    for (const daemon of [pair.core, pair.gateway]) {
      expect(daemon.facts().filter(({ event }) => event === 'bell.away')).toEqual([
        expect.objectContaining({ reason: expect.stringContaining('ECONNREFUSED') }),
      ]);
      expect((await fetch(`${daemon.adminUrl}/readyz`)).status).toBe(200);
      const place = `Redis at 127.0.0.1:${redis.place.port}`;
      const checked = await daemon.cli(['check-config']);
      expect(checked).toMatchObject({ status: 0, err: expect.stringContaining(`warning: ${place} does not answer`) });
      await redis.start();
      expect((await daemon.cli(['doctor'])).out).toContain(`${place} answers.`);
      await redis.kill();
    }
  });
});
