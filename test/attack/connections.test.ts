// Connections that never become sessions, and sessions that come and go: they are cut on time, and nothing of them stays.
import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it } from 'vitest';
import { called, connect, openSftp } from '../support/sftp-clients.ts';
import { startTestServer, type TestServer } from '../support/sftp-server.ts';
import { ALL_LINES } from '../support/sftp-settings.ts';
import { until } from '../support/until.ts';
import { amount } from './amounts.ts';

const HALF_OPEN = 500;
const PER_ADDRESS = 10;
const DEADLINE_MS = 5_000;
/** Whoever is cut so late was not cut at the deadline; of a login meanwhile, or so many times as long as one takes in quiet. */
const LATE_MS = 60_000;
const LOGIN_WITHIN_MS = 2_000;
const TIMES_AS_LONG = 30;
const SESSIONS = amount(200, 5_000);
const AT_ONCE = 8;

let server: TestServer;
afterEach(() => server[Symbol.asyncDispose]());

it(`${HALF_OPEN} half-open handshakes are cut at the deadline, and others log in meanwhile`, async () => {
  server = await startTestServer({ settings: { loginDeadline: DEADLINE_MS, unauthenticatedMax: HALF_OPEN + 50 } });
  const limitMs = Math.max(LOGIN_WITHIN_MS, TIMES_AS_LONG * (await loginTimeMs()));
  const begun = performance.now();
  // Some say nothing, some greet, some begin to offer algorithms and stop.
  const words = ['', 'SSH-2.0-half', 'SSH-2.0-half\r\n', 'SSH-2.0-half\r\n\0\0\0\x2c\x06\x14'];
  const sockets = await Promise.all(
    Array.from({ length: HALF_OPEN }, async (_, n) => {
      const socket = connectSocket({ host: '127.0.0.1', port: server.port, localAddress: `127.0.1.${1 + Math.floor(n / PER_ADDRESS)}` });
      await once(socket, 'connect');
      socket.write(words[n % words.length] ?? '', 'latin1');
      return socket;
    }),
  );
  const closed = Promise.all(sockets.map(endOf));
  expect(await loginTimeMs()).toBeLessThan(limitMs);
  await closed;
  expect(performance.now() - begun).toBeGreaterThan(DEADLINE_MS - 100);
  expect(performance.now() - begun).toBeLessThan(DEADLINE_MS + LATE_MS);
});

it(`${SESSIONS} sessions, half of them cut in mid-upload, leave no memory behind`, async () => {
  server = await startTestServer({ lines: ALL_LINES });
  await sessions(SESSIONS / 4);
  const before = usedMib();
  await sessions(SESSIONS);
  expect(usedMib() - before).toBeLessThan(amount(12, 20));
});

async function loginTimeMs(): Promise<number> {
  const asked = performance.now();
  (await connect(server)).end();
  return performance.now() - asked;
}

async function sessions(count: number): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const client = await connect(server);
      const sftp = await openSftp(client);
      const handle = await called<Buffer>((done) => sftp.open(`/inbox/${left}.xml.part`, 'w', done));
      await called((done) => sftp.write(handle, Buffer.alloc(1_000), 0, 1_000, 0, done));
      const gone = once(client, 'close');
      if (left % 2 === 0) client.destroy();
      else client.end();
      await gone;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const counted = (event: string): number => server.facts.filter((fact) => fact.event === event).length;
  await until('all to have left', () => counted('sftp.left') === counted('sftp.login'));
  server.facts.splice(0);
}

/** After everything that can be collected has been. */
function usedMib(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') for (let n = 0; n < 3; n++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

/** A socket that was refused ends with an error; that is an end, too. */
function endOf(socket: Socket): Promise<unknown> {
  socket.on('error', () => {});
  socket.resume();
  return socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', resolve));
}
