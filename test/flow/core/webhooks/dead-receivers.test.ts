// Receivers that cannot be reached at all: one attempt to connect is a try of everything that is due for them. Others that failed are probed.
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { recordEvents } from '#core/events/events.ts';
import { insertAccount } from '#core/ledger/accounts.ts';
import { insertWebhook } from '#core/ledger/webhooks.ts';
import { systemRandom } from '#runtime/clock.ts';
import { until } from '../../../support/until.ts';
import { ownCore, ownReceiver, type WebhookCore } from '../../../support/webhooks.ts';

const SECOND = 1_000;

/** Takes connections, and does with each what it is told to; counts them. */
async function listener(handle: (socket: Socket) => void): Promise<{ readonly port: number; readonly connections: () => number }> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket.on('error', () => undefined));
    handle(socket);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, connections: () => connections };
}

/** As many subscriptions to one address, each with events; a restart makes them due. */
async function owe({ ledger, clock, test }: WebhookCore, url: string, subscriptions: number, events: number): Promise<void> {
  const now = clock.now();
  await ledger.write([], async (rows) => {
    for (let at = 0; at < subscriptions; at++) {
      const accountRegNo = `account-${at}`;
      await insertAccount(rows, { accountRegNo, name: accountRegNo }, now);
      await insertWebhook(rows, { scope: 'account', accountRegNo }, { id: `webhook-${at}`, url, types: ['new_document'] }, now);
      for (let event = 0; event < events; event++) {
        const head = { family: 'Invoice', documentId: String(event) } as const;
        const subject = { integrationId: 'i', accountRegNo, direction: 'incoming', head, createdAt: now, updatedAt: now } as const;
        await recordEvents(rows, systemRandom, subject, [{ event: 'created', status: 'received' }], now);
      }
    }
  });
  await test.restart();
}

describe('a receiver to which there is no connection', () => {
  it('is tried once for all that is due, which counts for each of its events, on a ladder of its own', async () => {
    const core = await ownCore();
    const cut = await listener((socket) => socket.destroy());
    await owe(core, `https://127.0.0.1:${cut.port}/`, 1, 20);
    await until('the first tries', async () => (await core.owed()).every(({ attempts }) => attempts === 1));
    expect(cut.connections()).toBe(1);
    const owed = await core.owed();
    expect(owed).toHaveLength(20);
    for (const { nextAttemptAt: next } of owed) {
      expect(next! - core.clock.now()).toBeGreaterThanOrEqual(4.5 * SECOND);
      expect(next! - core.clock.now()).toBeLessThanOrEqual(5.5 * SECOND);
    }
    expect(new Set(owed.map(({ nextAttemptAt }) => nextAttemptAt)).size).toBeGreaterThan(5);
    core.clock.advance(6 * SECOND);
    await until('the second tries', async () => (await core.owed()).every(({ attempts }) => attempts === 2));
    expect(cut.connections()).toBe(2);
  });

  it('is tried once for all who have it', async () => {
    const core = await ownCore();
    const mute = await listener(() => undefined);
    await owe(core, `https://127.0.0.1:${mute.port}/`, 50, 2);
    await until('an attempt', () => mute.connections() > 0);
    await until('a try of each', async () => {
      core.clock.advance(SECOND);
      return (await core.owed()).every(({ attempts }) => attempts > 0);
    });
    // Each takes eight seconds to fail; who comes too late for one waits for the next.
    expect(mute.connections()).toBeLessThanOrEqual(10);
    expect((await core.owed())[0]).toMatchObject({ reason: 'There was no connection within 8000 ms.' });
  });
});

it('a receiver that failed is tried with one event first, and with no other when it asks for peace', async () => {
  const core = await ownCore();
  const receiver = await ownReceiver();
  receiver.script = () => ({ status: 500 });
  await owe(core, receiver.url, 1, 5);
  await until('a try of each', async () => (await core.owed()).every(({ attempts }) => attempts === 1));
  expect(receiver.hits).toHaveLength(5);
  receiver.script = () => ({ status: 429, headers: { 'retry-after': '600' } });
  core.clock.advance(6 * SECOND);
  await until('the request for peace', async () => (await core.owed()).some(({ attempts }) => attempts === 2));
  core.clock.advance(300 * SECOND);
  receiver.script = () => ({ status: 204 });
  expect(receiver.hits).toHaveLength(6);
  core.clock.advance(360 * SECOND);
  await until('all have come', async () => (await core.owed()).length === 0);
  expect(receiver.hits).toHaveLength(11);
});
