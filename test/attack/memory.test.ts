// Sessions that break off, stall and exchange keys in the middle of everything, beside others that work: memory is lent to all of them, and
// nobody may ever see a byte of somebody else's, or a descriptor stay open.
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { homeFolder, spoolFolder } from '#gateway/disk/paths.ts';
import { string, uint32, uint64 } from '#gateway/sftp/protocol/fields.ts';
import { rekey } from '../interop/packets.ts';
import { randomOf } from '../support/random.ts';
import { connect } from '../support/sftp-clients.ts';
import { RawSftp, TYPE } from '../support/sftp-raw.ts';
import { startTestServer, type TestServer } from '../support/sftp-server.ts';
import { ALL_LINES } from '../support/sftp-settings.ts';
import { until } from '../support/until.ts';
import { amount, seedOf } from './amounts.ts';

const ROUNDS = amount(15, 400);
const THIEVES = 4;
const FILE_BYTES = 700_001;
const READ_BYTES = 255 * 1024;
const PIECE_BYTES = 60_000;
const [READ_FLAG, WRITE_FLAGS] = [0x01, 0x1a];
const DATA = 103;

const LOGINS = ['worker', 'thief'] as const;
type Name = (typeof LOGINS)[number];
/** All that somebody ever writes is one letter. */
const LETTERS: Readonly<Record<Name, string>> = { worker: 'w', thief: 't' };

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({
    settings: { unauthenticatedPerAddressMax: 100 },
    lines: ALL_LINES,
    logins: LOGINS.map((login) => ({ login, homes: [{ home: login, folder: '' }] })),
  });
  for (const login of LOGINS) place(login);
});
afterEach(() => server[Symbol.asyncDispose]());

function place(login: Name): void {
  writeFileSync(join(homeFolder(server.data, login), 'outbox', 'a.xml'), LETTERS[login].repeat(FILE_BYTES));
}

type Client = Awaited<ReturnType<typeof connect>>;

interface Inside {
  readonly client: Client;
  readonly sftp: RawSftp;
  /** Resolves when its connection is closed, by whomever. */
  readonly gone: Promise<unknown>;
}

async function enter(login: Name): Promise<Inside> {
  const client = await connect({ ...server, login });
  client.on('error', () => {});
  const gone = once(client, 'close');
  return { client, gone, sftp: await RawSftp.open(client) };
}

/** Reads the file from `offset` on; whatever comes must be the letter. */
async function read(sftp: RawSftp, handle: Buffer, login: Name, offset: number): Promise<number> {
  const { type, fields } = await sftp.ask(TYPE.read, string(handle), uint64(offset), uint32(READ_BYTES));
  if (type !== DATA) return 0;
  const bytes = fields.bytes();
  mustBe(bytes, login);
  return bytes.length;
}

function mustBe(bytes: Buffer, login: Name): void {
  if (!bytes.equals(Buffer.alloc(bytes.length, LETTERS[login]))) throw new Error(`${login} has bytes that are not its own`);
}

async function work(sftp: RawSftp, round: number): Promise<void> {
  const handle = await sftp.openFile('/outbox/a.xml', READ_FLAG);
  const counts = await Promise.all([0, 1, 2].map((at) => read(sftp, handle, 'worker', at * READ_BYTES)));
  expect(counts.reduce((sum, count) => sum + count)).toBe(FILE_BYTES);
  await sftp.close(handle);
  const target = await sftp.openFile(`/inbox/${round}.xml`, WRITE_FLAGS);
  const piece = Buffer.alloc(PIECE_BYTES, LETTERS.worker);
  const written = await Promise.all([0, 1, 2, 3, 4].map((at) => sftp.write(target, at * piece.length, piece)));
  expect(written.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
  expect((await sftp.close(target)).code).toBe(0);
}

/** What a thief does while it reads and writes; nothing of it is waited for. */
const TRICKS: readonly ((thief: Inside, handles: readonly Buffer[]) => unknown)[] = [
  ({ client }) => client.destroy(),
  ({ client }) => client.end(),
  ({ sftp }) => sftp.channel.end(),
  ({ sftp }) => sftp.channel.destroy(),
  // It takes nothing more: the window stays closed.
  ({ sftp }) => sftp.channel.pause(),
  ({ client }) => rekey(client).catch(() => undefined),
  ({ sftp }, handles) => handles.map((handle) => sftp.close(handle)),
  ({ sftp }) => sftp.ask(TYPE.rename, string('/outbox/a.xml'), string('/outbox/a.xml.downloading')),
  ({ sftp }) => sftp.ask(TYPE.remove, string('/outbox/a.xml')),
  // A packet that announces more than comes.
  ({ sftp }) => sftp.channel.write(Buffer.concat([uint32(200_000), Buffer.from([TYPE.write]), Buffer.alloc(30_000, 't')])),
];

it(`${ROUNDS} rounds of ${THIEVES} that break off beside one that works`, async () => {
  const draw = randomOf(seedOf('memory'));
  const openBefore = descriptors();
  let isOver = false;

  async function steal(lane: number): Promise<void> {
    for (let visit = 0; !isOver; visit++) {
      place('thief');
      const thief = await enter('thief');
      const [source, target] = await Promise.all([
        thief.sftp.openFile('/outbox/a.xml', READ_FLAG).catch(() => Buffer.alloc(0)),
        thief.sftp.openFile(`/inbox/${lane}-${visit}.xml`, WRITE_FLAGS),
      ]);
      const under = Array.from({ length: 12 }, (_, at) => [
        read(thief.sftp, source, 'thief', (at % 3) * READ_BYTES),
        thief.sftp.write(target, at * 40_000, Buffer.alloc(40_000, 't')),
      ]).flat();
      const answered = Promise.all(under);
      for (let trick = draw(1, 3); trick > 0; trick--) {
        for (let turn = draw(0, 40); turn > 0; turn--) await new Promise((next) => setImmediate(next));
        TRICKS[draw(0, TRICKS.length - 1)]?.(thief, [source, target]);
      }
      // A letter that is not its own fails the test; answers that never come do not.
      await Promise.race([answered, turns(draw(10, 200))]);
      thief.client.destroy();
      await thief.gone;
    }
  }

  const thieves = Promise.all(Array.from({ length: THIEVES }, (_, lane) => steal(lane)));
  const working = (async () => {
    const { client, sftp } = await enter('worker');
    for (let round = 0; round < ROUNDS; round++) await work(sftp, round);
    client.end();
  })().finally(() => {
    isOver = true;
  });
  await Promise.all([working, thieves]);
  const counted = (event: string): number => server.facts.filter((fact) => fact.event === event).length;
  await until('all to have left', () => counted('sftp.left') === counted('sftp.login'));
  await until('all that was open to be closed', () => descriptors() <= openBefore);
  for (const login of LOGINS) for (const bytes of taken(login)) mustBe(bytes, login);
  expect(taken('worker').map(({ length }) => length)).toEqual(Array.from({ length: ROUNDS }, () => 5 * PIECE_BYTES));
  expect(server.facts.filter(({ level }) => level === 'error')).toEqual([]);
});

/** What is in somebody's spool. */
function taken(login: Name): Buffer[] {
  const folder = spoolFolder(server.data, login);
  return readdirSync(folder).map((name) => readFileSync(join(folder, name)));
}

function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((next) => setImmediate(next));
}
