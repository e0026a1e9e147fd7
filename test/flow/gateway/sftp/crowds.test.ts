// Many connections at once that have not logged in: ten of an address are served, twenty wait in line, the others are told; and those that
// only take up room pay for it.
import { connect as connectSocket, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { manualClock } from '../../../support/clock.ts';
import { tryLogin } from '../../../support/sftp-clients.ts';
import { startTestServer, type TestOptions, type TestServer } from '../../../support/sftp-server.ts';
import { until } from '../../../support/until.ts';

const GREETED = 'SSH-2.0-Dropgate\r\n';
const TURNED_AWAY = 'dropgate: too many connections at once from your network; try again in a few seconds\r\n';

let server: TestServer;
const start = async (options?: TestOptions): Promise<void> => {
  server = await startTestServer(options);
};
afterEach(() => server[Symbol.asyncDispose]());

const inLine = (): number => server.facts.filter(({ event }) => event === 'sftp.queued').length;

interface Knock {
  readonly socket: Socket;
  /** What the server has said so far. */
  heard: string;
  isClosed: boolean;
}

/** A connection that says nothing. */
function knock(localAddress = '127.0.0.2'): Knock {
  const socket = connectSocket({ host: '127.0.0.1', port: server.port, localAddress });
  const knocking: Knock = { socket, heard: '', isClosed: false };
  socket.on('error', () => {});
  socket.on('close', () => {
    knocking.isClosed = true;
  });
  socket.on('data', (bytes) => {
    knocking.heard += bytes.toString();
  });
  return knocking;
}

it('thirty logins at once from one address all get in, and cost nothing', async () => {
  // On a slow machine it may take longer than anybody waits in line.
  await start({ settings: { exempt: false, arrivalsBurst: 30, sessionsPerLoginMax: 30 }, clock: manualClock() });
  const outcomes = await Promise.all(Array.from({ length: 30 }, () => tryLogin(server, { localAddress: '127.0.0.2' })));
  expect(new Set(outcomes)).toEqual(new Set(['in']));
  for (let n = 0; n < 30; n++) expect(await tryLogin(server, { localAddress: '127.0.0.2' })).toBe('in');
  expect(server.rejects).toEqual([]);
});

it('ten of an address are served, twenty wait in line without a word, and the others are told and counted', async () => {
  const clock = manualClock();
  await start({ clock });
  const knocks = Array.from({ length: 33 }, () => knock());
  const heard = (text: string) => knocks.filter((each) => each.heard === text).length;
  await until('all to be heard or in line', () => heard(GREETED) === 10 && heard(TURNED_AWAY) === 3 && inLine() === 20);
  expect([heard(GREETED), heard(''), heard(TURNED_AWAY)]).toEqual([10, 20, 3]);
  expect(server.rejects).toHaveLength(3);
  expect(server.rejects[0]).toMatchObject({
    address: '127.0.0.2',
    login: '',
    reason: 'too-many',
    explanation: expect.stringContaining('sftp.unauthenticatedPerAddressMax'),
  });
  // Others are not kept out by them.
  const other = knock('127.0.0.3');
  await until('the other to be greeted', () => other.heard === GREETED);
  // A place becomes free: the first in line has it.
  knocks.find((each) => each.heard === GREETED)?.socket.destroy();
  await until('the next to be greeted', () => heard(GREETED) === 11);
  clock.advance(5_000);
  await until('the line to be told', () => heard(TURNED_AWAY) === 3 + 19);
  expect(server.rejects.filter(({ reason }) => reason === 'too-many')).toHaveLength(3 + 19);
});

it('those that are too fast are told and counted, too', async () => {
  await start({ settings: { exempt: false, arrivalsBurst: 2 }, clock: manualClock() });
  const knocks = [knock(), knock(), knock()];
  await until('the third to be told', () => knocks.some((each) => each.heard === TURNED_AWAY));
  expect(server.rejects).toMatchObject([{ address: '127.0.0.2', reason: 'too-many' }]);
});

it('waiting in line costs nothing; giving way without a try to log in does, and keeps out in the end', async () => {
  const clock = manualClock();
  await start({ settings: { exempt: false, unauthenticatedMax: 1, arrivalsBurst: 100 }, clock });
  const barred = () => server.facts.filter(({ event }) => event === 'sftp.banned').map(({ address }) => address);
  const waiting = [knock('127.0.0.9'), ...Array.from({ length: 20 }, () => knock('127.0.0.9'))];
  await until('the others to be in line', () => inLine() === 20);
  clock.advance(5_000);
  await until('the line to be told', () => waiting.filter((each) => each.heard === TURNED_AWAY).length === 20);
  expect(barred()).toEqual([]);
  for (let n = 0; n < 40 && barred().length === 0; n++) {
    const next = knock(n % 2 ? '127.0.0.2' : '127.0.0.3');
    await until('it to be greeted, or kept out', () => next.heard === GREETED || next.isClosed);
  }
  expect(barred()).toEqual(['127.0.0.3']);
  expect(await tryLogin(server, { localAddress: '127.0.0.4' })).toBe('in');
});

it('those that wait in line when the server stops are let go', async () => {
  await start();
  const knocks = Array.from({ length: 15 }, () => knock());
  await until(
    'ten to be greeted, and the others in line',
    () => knocks.filter((each) => each.heard === GREETED).length === 10 && inLine() === 5,
  );
  await server.server.close();
  await until('all to be closed', () => knocks.every((each) => each.isClosed));
  expect(knocks.filter((each) => each.heard === '')).toHaveLength(5);
});
