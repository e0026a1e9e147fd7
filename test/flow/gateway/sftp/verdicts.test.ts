// Verdicts at CLOSE: the client's own upload fails with the sentence, and nothing was taken.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type ssh2 from 'ssh2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type KnownFailedUpload, readFailedUploads } from '#gateway/ledger/failed-uploads.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { openPasswords } from '#gateway/sftp/auth/password.ts';
import { OPEN_FLAG } from '#gateway/sftp/protocol/requests.ts';
import { StrictVerdicts } from '#gateway/spool/strict-verdicts.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../../support/clock.ts';
import { invoice } from '../../../support/documents.ts';
import { refusal, type ScriptedService } from '../../../support/scripted-service.ts';
import { called, connect, openSftp } from '../../../support/sftp-clients.ts';
import { RawSftp } from '../../../support/sftp-raw.ts';
import { PASSWORD, startTestServer } from '../../../support/sftp-server.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const HOME = 'acme-ab';
const WRONG = /nothing was taken\. .*\(BR-CO-16, line \d+\)/;

function wrong(id: string, bytes: Uint8Array = invoice({ id })): Buffer {
  return Buffer.from(
    Buffer.from(bytes)
      .toString()
      .replace(/(<cbc:PayableAmount[^>]*>)[\d.]+/, '$199.99'),
  );
}

interface Client {
  readonly world: World<ScriptedService>;
  readonly connection: ssh2.Client;
  /** Resolves with what the client is told. */
  put(path: string, bytes: Uint8Array | string): Promise<string>;
  move(from: string, to: string): Promise<string>;
  /** What of uploads and of items lies in the spool. */
  spooled(): string[];
  failed(): Promise<KnownFailedUpload[]>;
}

async function answered(asked: Promise<void>): Promise<string> {
  return asked.then(
    () => 'OK',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/** A client of a login with a verdict at CLOSE, or without. */
async function enter(verdict: 'strict' | null = 'strict', config: ssh2.ConnectConfig = {}): Promise<Client> {
  const passwordHash = await openPasswords(systemRandom).hash(PASSWORD);
  const world = await startWorld(scripted(), {
    before: async (on) => {
      await addLogin(on, { login: 'erp', passwordHash, publicKeys: [], rules: { verdict } });
    },
  });
  await world.administer((on) => addLoginHome(on, 'erp', HOME, ''));
  await world.restart();
  const client = await connect({ port: world.gateway().sftp.port, knownHosts: '' }, config);
  onTestFinished(() => void client.end());
  const sftp = await openSftp(client);
  const spool = join(world.data, 'spool');
  return {
    world,
    connection: client,
    put: (path, bytes) => answered(called((done) => sftp.writeFile(path, Buffer.from(bytes), done))),
    move: (from, to) => answered(called((done) => sftp.rename(from, to, done))),
    spooled: () =>
      readdirSync(spool, { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() && !entry.name.startsWith('.') && entry.parentPath !== spool ? [entry.name] : [],
      ),
    failed: () => world.administer(({ ledger }) => readFailedUploads(ledger.read, HOME)),
  };
}

describe('a login with verdicts at CLOSE', () => {
  it('is told what is wrong by its own upload; nothing is taken, and the upload is found as one that failed', async () => {
    const { world, put, spooled, failed } = await enter();
    expect(await put('/inbox/wrong.xml', wrong('W-1'))).toMatch(WRONG);
    expect(await put('/inbox/wrong.xml', 'no document')).toMatch(/nothing was taken\. The file is neither XML nor JSON/);
    expect(await put('/inbox/overwrite/cut.xml', invoice().subarray(0, 4_000))).toMatch(/nothing was taken\. The file ends too early/);
    expect(spooled()).toEqual([]);
    expect(await world.items()).toEqual([]);
    const found = await world.inTime('the failed uploads', async () => {
      const all = await failed();
      return all.length === 2 && all;
    });
    expect(found).toContainEqual(
      expect.objectContaining({ fileName: 'wrong.xml', reason: expect.stringContaining('neither XML nor JSON'), size: 11 }),
    );
    expect(await put('/inbox/right.xml', invoice({ id: 'R-1' }))).toBe('OK');
    expect(await world.receipt(HOME, 'right.xml', 'accepted')).toMatchObject({ documentId: 'R-1' });
    await world.restart();
    expect(world.stages(HOME)).toEqual(['accepted']);
    expect(await world.items()).toHaveLength(1);
  });

  it('has a rename to the real name judged the same way, and one out of refused', async () => {
    const { world, put, move, spooled } = await enter();
    expect(await put('/inbox/wrong.xml.tmp', wrong('W-2'))).toBe('OK');
    expect(await move('/inbox/wrong.xml.tmp', '/inbox/wrong.xml')).toMatch(WRONG);
    expect(await put('/inbox/tmp/right.xml', invoice({ id: 'R-2' }))).toBe('OK');
    expect(await move('/inbox/tmp/right.xml', '/inbox/right.xml')).toBe('OK');
    await world.receipt(HOME, 'right.xml', 'accepted');
    expect(spooled()).toEqual([]);
    // On disk there is no CLOSE: that file is refused by a receipt, and by the same words when it is moved back.
    world.service.script = ({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION') : { status: 204 });
    await world.drop(HOME, 'disk.xml', wrong('W-3'));
    await world.receipt(HOME, 'disk.xml', 'refused');
    const kept = await until('the original', () => world.files(HOME, 'refused')[0]);
    expect(await move(`/refused/${kept}`, '/inbox/again.xml')).toMatch(WRONG);
    expect(world.files(HOME, 'refused')).toEqual([kept]);
  });

  it.each(['libssh2_1.10.0', 'Erlang/4.15.2'])(
    'gets a receipt as well where its program does not look at the answer: %s',
    async (ident) => {
      const { world, put, spooled } = await enter('strict', { ident });
      expect(await put('/inbox/wrong.xml', wrong('W-4'))).toMatch(WRONG);
      const receipt = await world.receipt(HOME, 'wrong.xml', 'refused');
      expect(receipt).toMatchObject({ code: 'rule', action: 'fix', documentId: 'W-4', findings: [{ rule: 'BR-CO-16' }] });
      expect(spooled()).toEqual([]);
      expect(await world.items()).toEqual([]);
    },
  );

  it("gets a receipt as well through OpenSSH's ssh, unless its program asks for limits, as OpenSSH's own do", async () => {
    const { world, put, connection } = await enter('strict', { ident: 'OpenSSH_9.2p1' });
    // ssh2 asks for them, too.
    expect(await put('/inbox/looks.xml', wrong('W-5'))).toMatch(WRONG);
    const sftp = await RawSftp.open(connection);
    const write = OPEN_FLAG.write | OPEN_FLAG.create | OPEN_FLAG.truncate;
    const handle = await sftp.openFile('/inbox/mounted.xml', write);
    await sftp.write(handle, 0, wrong('W-6'));
    expect((await sftp.close(handle)).sentence).toMatch(WRONG);
    expect(await world.receipt(HOME, 'mounted.xml', 'refused')).toMatchObject({ code: 'rule', documentId: 'W-6' });
    expect(world.stages(HOME, 'looks.xml')).toEqual([]);
  });
});

it('where the judges are busy for two seconds, the file is taken as it would be without a verdict', async () => {
  const clock = manualClock();
  const asked = Promise.withResolvers<void>();
  await using server = await startTestServer({
    wrap: (intake) =>
      new StrictVerdicts({
        intake,
        data: '',
        settings: { verdictWithin: 2_000 },
        clock,
        logins: { find: (login) => ({ login, passwordHash: null, publicKeys: [], homes: [], rules: { verdict: 'strict' } }) },
        accounts: { ownerOf: async () => HOME },
        inspect: () => {
          asked.resolve();
          return new Promise(() => {});
        },
        finisher: { notify: async () => undefined },
        log: openLog('error', { write: () => undefined }),
      }),
  });
  const client = await connect(server);
  const sftp = await openSftp(client);
  const told = answered(called((done) => sftp.writeFile('/inbox/wrong.xml', 'no document', done)));
  await asked.promise;
  expect(server.committed()).toEqual([]);
  clock.advance(2_000);
  expect(await told).toBe('OK');
  expect(server.committed().map(({ name }) => name)).toEqual(['wrong.xml']);
  client.end();
});

it('a login without them is told OK, and finds a receipt', async () => {
  const { world, put } = await enter(null);
  expect(await put('/inbox/wrong.xml', 'no document')).toBe('OK');
  expect(await world.receipt(HOME, 'wrong.xml', 'refused')).toMatchObject({ code: 'not-ubl' });
});
