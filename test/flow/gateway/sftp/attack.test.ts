// Guessing and flooding from one address, while others work: what it costs us, and that they do not notice.
import { connect as connectSocket } from 'node:net';
import ssh2 from 'ssh2';
import { afterEach, expect, it } from 'vitest';
import { openPasswords } from '#runtime/auth/password.ts';
import { systemRandom } from '#runtime/clock.ts';
import { connect } from '../../../support/sftp-clients.ts';
import { PASSWORD, startTestServer, type TestServer } from '../../../support/sftp-server.ts';

const ATTACKER = '127.0.0.2';
const AT_ONCE = 50;
/** Of a login meanwhile; on a slow machine, so many times as long as one takes in quiet. */
const LOGIN_WITHIN_MS = 2_000;
const TIMES_AS_LONG = 30;

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

/** Does it so many times, some of them at a time. */
async function repeat(times: number, act: () => Promise<void>): Promise<void> {
  let left = times;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await act();
    }),
  );
}

/** A connection that guesses as often as it may. */
function guess(username: string): Promise<void> {
  return new Promise((resolve) => {
    const client = new ssh2.Client();
    client.on('error', () => {});
    client.on('close', () => resolve());
    const authHandler: ssh2.AuthHandlerMiddleware = (_methods, _partial, next) => next({ type: 'password', username, password: 'guess' });
    client.connect({ host: '127.0.0.1', port: server.port, localAddress: ATTACKER, username, authHandler });
  });
}

function knock(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connectSocket({ host: '127.0.0.1', port: server.port, localAddress: ATTACKER });
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.on('data', () => socket.destroy());
  });
}

async function loginTimeMs(): Promise<number> {
  const startedAt = performance.now();
  const client = await connect(server);
  const tookMs = performance.now() - startedAt;
  client.end();
  return tookMs;
}

async function loginLimitMs(): Promise<number> {
  return Math.max(LOGIN_WITHIN_MS, TIMES_AS_LONG * (await loginTimeMs()));
}

it.each(['erp', 'nobody'])('1,000 connections that guess passwords of %s cost ten hashes at the most', async (username) => {
  // Each of them takes as long as in a real installation.
  const passwordHash = await openPasswords(systemRandom).hash(PASSWORD);
  server = await startTestServer({ settings: { exempt: false }, logins: [{ passwordHash }] });
  const limitMs = await loginLimitMs();
  const attack = repeat(1_000, () => guess(username));
  const tookMs = await loginTimeMs();
  await attack;
  const hashes = server.facts.filter(({ event }) => event === 'sftp.login-failed').length;
  expect(hashes).toBeGreaterThanOrEqual(3);
  expect(hashes).toBeLessThanOrEqual(10);
  expect(tookMs).toBeLessThan(limitMs);
});

it('10,000 connections of one address do not keep another one waiting', async () => {
  server = await startTestServer({ settings: { exempt: false } });
  const limitMs = await loginLimitMs();
  const attack = repeat(10_000, knock);
  for (let n = 0; n < 3; n++) expect(await loginTimeMs()).toBeLessThan(limitMs);
  await attack;
  expect(await loginTimeMs()).toBeLessThan(limitMs);
});
