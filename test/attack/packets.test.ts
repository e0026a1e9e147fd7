// Packets of every request, mutated at random, against sessions with real folders behind them: each is answered at most once or ends the
// session, nothing throws, nothing outside of the home is touched, and nothing is left.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { homeFolder } from '#gateway/disk/paths.ts';
import { HomesInHand } from '#gateway/model/homes.ts';
import type { Intake } from '#gateway/model/intake.ts';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { REQUESTS } from '#gateway/sftp/protocol/requests.ts';
import { CloseAnswers } from '#gateway/sftp/session/close-answers.ts';
import { Handles } from '#gateway/sftp/session/handles.ts';
import { PathNotes } from '#gateway/sftp/session/path-notes.ts';
import { type ChannelWriter, SftpSession } from '#gateway/sftp/session/session.ts';
import { ViewBytes } from '#gateway/sftp/session/views.ts';
import { LruCache } from '#runtime/cache.ts';
import { systemClock } from '#runtime/clock.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import { openLog } from '#runtime/log.ts';
import { randomOf } from '../support/random.ts';
import { ACCOUNT, startTestServer, type TestServer } from '../support/sftp-server.ts';
import { EMPTY_VIEWS } from '../support/views.ts';
import { amount, seedOf } from './amounts.ts';

const PACKETS = amount(20_000, 1_000_000);
const PACKETS_PER_SESSION = 100;
const SECRET = 'nobody may read this';
const ANSWERING: LoginRules = { answers: ['status'] };
const PATHS = [
  '',
  '.',
  '/',
  '/inbox',
  '/inbox/a.xml',
  '/inbox/a.tmp',
  '/outbox',
  '/outbox/b.xml',
  '/status',
  '/status/today.csv',
  '/../../secret',
  '/outbox/../../../secret',
  'inbox/tmp/x',
];
const REPLIES = new Set([2, 101, 102, 103, 104, 105, 201]);

let server: TestServer;
let intake: Intake;

beforeEach(async () => {
  server = await startTestServer({
    wrap: (real) => {
      intake = real;
      return real;
    },
  });
  writeFileSync(join(server.data, 'secret'), SECRET);
});
afterEach(() => server[Symbol.asyncDispose]());

it(`${PACKETS} mutated packets`, async () => {
  const draw = randomOf(seedOf('packets'));
  const pick = <Item>(some: readonly [Item, ...Item[]]): Item => some[draw(0, some.length - 1)] ?? some[0];
  for (let sent = 0; sent < PACKETS; sent += PACKETS_PER_SESSION) {
    for (const name of ['b.xml', 'c.xml']) server.place('outbox', name, 'x'.repeat(1_000));
    const replies: Buffer[] = [];
    const session = openSession(replies);
    session.receive(framed(Buffer.concat([Buffer.from([1]), uint32(3)])));
    for (let n = 0; n < PACKETS_PER_SESSION; n++) {
      session.receive(framed(mutate(request())));
      if (n % 10 === 0) await new Promise((turn) => setImmediate(turn));
    }
    session.heardAll();
    session.lost();
    await session.ended;
    expect(replies.length).toBeLessThanOrEqual(PACKETS_PER_SESSION + 1);
    for (const reply of replies) {
      expect(reply.readUInt32BE(0)).toBe(reply.length - 4);
      expect(REPLIES.has(reply[4] ?? 0)).toBe(true);
      expect(reply.includes(SECRET)).toBe(false);
    }
    intake.leave('fuzz');
  }
  expect(readFileSync(join(server.data, 'secret'), 'utf8')).toBe(SECRET);
  expect(readdirSync(join(server.data, 'homes'))).toEqual([ACCOUNT]);
  expect(server.facts.filter(({ level, code }) => level === 'error' && code !== 'storage')).toEqual([]);

  function request(): Buffer {
    const kinds = Object.values(REQUESTS).map(({ type }) => type);
    const type = kinds[draw(0, kinds.length - 1)] ?? 1;
    const head =
      typeof type === 'number' ? [Buffer.from([type]), uint32(draw(0, 1_000))] : [Buffer.from([200]), uint32(draw(0, 1_000)), string(type)];
    const path = () => string(pick(['/inbox/a.xml', ...PATHS]));
    const handle = () => string(String(draw(1, 12).toString(36)));
    const first = pick([path, handle, handle]);
    return Buffer.concat([
      ...head,
      first(),
      ...Array.from({ length: draw(0, 3) }, () =>
        pick([path, () => uint32(draw(0, 63)), () => uint64(draw(0, 4_000)), () => string(Buffer.alloc(draw(0, 200)))])(),
      ),
    ]);
  }

  function mutate(packet: Buffer): Buffer {
    const kind = draw(0, 9);
    if (kind < 5) return packet;
    if (kind === 5) return packet.subarray(0, draw(1, packet.length));
    if (kind === 6) return Buffer.concat([packet, Buffer.alloc(draw(1, 50), draw(0, 255))]);
    for (let flips = draw(1, 8); flips > 0; flips--) packet[draw(0, packet.length - 1)] = draw(0, 255);
    return packet;
  }
});

function openSession(replies: Buffer[]): SftpSession {
  const writer: ChannelWriter = {
    pause: () => {},
    resume: () => {},
    send: (packet) => void replies.push(Buffer.from(packet)),
    unsentBytes: () => 0,
    show: () => {},
    finish: () => {},
  };
  const login = { login: 'erp', passwordHash: null, publicKeys: [], homes: [{ home: ACCOUNT, folder: '' }], rules: ANSWERING };
  const session = {
    login,
    id: 'fuzz',
    intake,
    home: (accountRegNo: string) => homeFolder(server.data, accountRegNo),
    views: EMPTY_VIEWS,
    viewBytes: new ViewBytes(),
    downloadTakes: () => false,
    isReceivedOrder: async () => false,
    folders: new FolderSync(),
    inHand: new HomesInHand(),
    fileMaxBytes: 100_000,
    failures: new PathNotes<string>(),
    markers: new PathNotes<never>(),
    transfers: { fetched: () => {}, failed: () => {}, partlyRead: new LruCache<{ upTo: number }>(1) },
    clock: systemClock,
    log: openLog('warn', { write: (text: string) => void server.facts.push(JSON.parse(text)) }),
    closeAnswers: new CloseAnswers(''),
    isStopping: () => false,
  };
  return new SftpSession({ session, handles: new Handles(16) }, writer);
}

function framed(packet: Buffer): Buffer {
  return Buffer.concat([uint32(packet.length), packet]);
}
