// Verdicts at CLOSE: the client's own upload fails with the sentence, and nothing was taken.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type ssh2 from 'ssh2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '#gateway/gateway.ts';
import { type KnownFailedUpload, readFailedUploads } from '#gateway/ledger/failed-uploads.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import type { Inspect } from '#gateway/reader/inspect.ts';
import { OPEN_FLAG } from '#gateway/sftp/protocol/requests.ts';
import { readHead } from '#ubl/head.ts';
import { calm } from '../../../support/calm.ts';
import { invoice } from '../../../support/documents.ts';
import { refusal, type ScriptedService } from '../../../support/scripted-service.ts';
import { called, connect, openSftp } from '../../../support/sftp-clients.ts';
import { RawSftp } from '../../../support/sftp-raw.ts';
import { PASSWORD_HASH } from '../../../support/sftp-server.ts';
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
  /** That the next document is looked at; the look does not end. */
  hang(): Promise<void>;
}

async function answered(asked: Promise<void>): Promise<string> {
  return asked.then(
    () => 'OK',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/** A client of a login with a verdict at CLOSE, or without. */
async function enter(verdict: 'strict' | null = 'strict', config: ssh2.ConnectConfig = {}): Promise<Client> {
  let hung: (() => void) | undefined;
  const inspect: Inspect = async (bytes) => {
    if (!hung) return readHead(bytes);
    hung();
    hung = undefined;
    return new Promise(() => {});
  };
  const world = await startWorld(scripted(), {
    before: async (on) => {
      await addLogin(on, { login: 'erp', passwordHash: PASSWORD_HASH, publicKeys: [], rules: { verdict } });
    },
    start: (options) => startGateway({ ...options, service: { ...options.service, inspect } }),
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
    hang: () =>
      new Promise((looked) => {
        hung = looked;
      }),
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
    const { world, put, move, spooled, failed } = await enter();
    expect(await put('/inbox/wrong.xml.tmp', wrong('W-2'))).toBe('OK');
    expect(await move('/inbox/wrong.xml.tmp', '/inbox/wrong.xml')).toMatch(WRONG);
    const found = (name: string) => world.inTime(`the failed ${name}`, async () => (await failed()).find((each) => each.fileName === name));
    const asOneThatFailed = { login: 'erp', reason: expect.stringMatching(WRONG), size: wrong('W-2').length };
    expect(await found('wrong.xml')).toMatchObject(asOneThatFailed);
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
    expect(await found('again.xml')).toMatchObject(asOneThatFailed);
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

describe('where the judges are busy for two seconds, the client is told OK, and finds a receipt', () => {
  async function late({ world, hang, spooled }: Client, ask: () => Promise<string>): Promise<void> {
    const looked = hang();
    const told = ask();
    await looked;
    world.clock.advance(1_999);
    expect(await Promise.race([told, calm().then(() => 'nothing yet')])).toBe('nothing yet');
    expect([await world.count('pending'), world.stages(HOME, 'late.xml')]).toEqual([0, []]);
    world.clock.advance(1);
    expect(await told).toBe('OK');
    expect(await world.receipt(HOME, 'late.xml', 'refused')).toMatchObject({ code: 'not-ubl' });
    expect(world.logged('verdict.late')).toBe(1);
    await until('nothing to be left', () => spooled().length === 0);
  }

  it('of a put', async () => {
    const client = await enter();
    await late(client, () => client.put('/inbox/late.xml', 'no document'));
    expect(await client.world.items()).toMatchObject([{ fileName: 'late.xml', state: 'refused' }]);
  });

  it('of a rename into the inbox', async () => {
    const client = await enter();
    expect(await client.put('/inbox/late.xml.tmp', 'no document')).toBe('OK');
    await late(client, () => client.move('/inbox/late.xml.tmp', '/inbox/late.xml'));
  });

  it('of a resend out of refused', async () => {
    const client = await enter();
    const { world } = client;
    await world.drop(HOME, 'first.xml', 'no document');
    await world.receipt(HOME, 'first.xml', 'refused');
    const kept = await until('the original', () => world.files(HOME, 'refused')[0]);
    await late(client, () => client.move(`/refused/${kept}`, '/inbox/late.xml'));
    expect(await world.count('refused')).toBe(2);
  });
});

it('a login without them is told OK, and finds a receipt', async () => {
  const { world, put } = await enter(null);
  expect(await put('/inbox/wrong.xml', 'no document')).toBe('OK');
  expect(await world.receipt(HOME, 'wrong.xml', 'refused')).toMatchObject({ code: 'not-ubl' });
});
