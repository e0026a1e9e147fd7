// Many connections at once that have not logged in: ten of an address are served, twenty are queued, the others are refused; and connections
// that only take up slots are punished.
import { connect as connectSocket, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { manualClock } from '../../../support/clock.ts';
import { tryLogin } from '../../../support/sftp-clients.ts';
import { startTestServer, type TestOptions, type TestServer } from '../../../support/sftp-server.ts';
import { until } from '../../../support/until.ts';

const VERSION_LINE = 'SSH-2.0-Dropgate\r\n';
const REFUSAL = 'dropgate: too many connections at once from your network; try again in a few seconds\r\n';

let server: TestServer;
const start = async (options?: TestOptions): Promise<void> => {
  server = await startTestServer(options);
};
afterEach(() => server[Symbol.asyncDispose]());

const queued = (): number => server.facts.filter(({ event }) => event === 'sftp.queued').length;

interface SilentConnection {
  readonly socket: Socket;
  /** What the server has sent. */
  heard: string;
  isClosed: boolean;
}

/** A client that sends nothing. */
function connectSilently(localAddress = '127.0.0.2'): SilentConnection {
  const socket = connectSocket({ host: '127.0.0.1', port: server.port, localAddress });
  const connection: SilentConnection = { socket, heard: '', isClosed: false };
  socket.on('error', () => {});
  socket.on('close', () => {
    connection.isClosed = true;
  });
  socket.on('data', (bytes) => {
    connection.heard += bytes.toString();
  });
  return connection;
}

it('thirty logins at once from one address all succeed, unpunished', async () => {
  // On a slow machine it may take longer than connections are queued.
  await start({ settings: { exempt: false, arrivalsBurst: 30, sessionsPerLoginMax: 30 }, clock: manualClock() });
  const outcomes = await Promise.all(Array.from({ length: 30 }, () => tryLogin(server, { localAddress: '127.0.0.2' })));
  expect(new Set(outcomes)).toEqual(new Set(['in']));
  for (let n = 0; n < 30; n++) expect(await tryLogin(server, { localAddress: '127.0.0.2' })).toBe('in');
  expect(server.rejects).toEqual([]);
});

it('ten of an address are served, twenty queued in silence, and the others refused with a sentence and counted', async () => {
  const clock = manualClock();
  await start({ clock });
  const silent = Array.from({ length: 33 }, () => connectSilently());
  const heard = (text: string) => silent.filter((each) => each.heard === text).length;
  await until('all to be served, refused or queued', () => heard(VERSION_LINE) === 10 && heard(REFUSAL) === 3 && queued() === 20);
  expect([heard(VERSION_LINE), heard(''), heard(REFUSAL)]).toEqual([10, 20, 3]);
  expect(server.rejects).toHaveLength(3);
  expect(server.rejects[0]).toMatchObject({
    address: '127.0.0.2',
    login: '',
    reason: 'too-many',
    explanation: expect.stringContaining('sftp.unauthenticatedPerAddressMax'),
  });
  // Other addresses are served meanwhile.
  const other = connectSilently('127.0.0.3');
  await until('the other to be served', () => other.heard === VERSION_LINE);
  // A slot becomes free: the first queued connection has it.
  silent.find((each) => each.heard === VERSION_LINE)?.socket.destroy();
  await until('the next to be served', () => heard(VERSION_LINE) === 11);
  clock.advance(5_000);
  await until('the queued to be refused', () => heard(REFUSAL) === 3 + 19);
  expect(server.rejects.filter(({ reason }) => reason === 'too-many')).toHaveLength(3 + 19);
});

it('connections beyond the rate are refused with a sentence and counted, too', async () => {
  await start({ settings: { exempt: false, arrivalsBurst: 2 }, clock: manualClock() });
  const silent = [connectSilently(), connectSilently(), connectSilently()];
  await until('the third to be refused', () => silent.some((each) => each.heard === REFUSAL));
  expect(server.rejects).toMatchObject([{ address: '127.0.0.2', reason: 'too-many' }]);
});

it('being queued is not punished; being evicted without a try to log in is, up to a ban', async () => {
  const clock = manualClock();
  await start({ settings: { exempt: false, unauthenticatedMax: 1, arrivalsBurst: 100 }, clock });
  const banned = () => server.facts.filter(({ event }) => event === 'sftp.banned').map(({ address }) => address);
  const waiting = [connectSilently('127.0.0.9'), ...Array.from({ length: 20 }, () => connectSilently('127.0.0.9'))];
  await until('the others to be queued', () => queued() === 20);
  clock.advance(5_000);
  await until('the queued to be refused', () => waiting.filter((each) => each.heard === REFUSAL).length === 20);
  expect(banned()).toEqual([]);
  for (let n = 0; n < 40 && banned().length === 0; n++) {
    const next = connectSilently(n % 2 ? '127.0.0.2' : '127.0.0.3');
    await until('it to be served, or refused', () => next.heard === VERSION_LINE || next.isClosed);
  }
  expect(banned()).toEqual(['127.0.0.3']);
  expect(await tryLogin(server, { localAddress: '127.0.0.4' })).toBe('in');
});

it('queued connections are closed when the server stops', async () => {
  await start();
  const silent = Array.from({ length: 15 }, () => connectSilently());
  await until(
    'ten to be served, and the others queued',
    () => silent.filter((each) => each.heard === VERSION_LINE).length === 10 && queued() === 5,
  );
  await server.server.close();
  await until('all to be closed', () => silent.every((each) => each.isClosed));
  expect(silent.filter((each) => each.heard === '')).toHaveLength(5);
});
