// The folder `test` below the inbox: judged as it would be for real, reported by receipts, never sent.
import { writeFileSync } from 'node:fs';
import type ssh2 from 'ssh2';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { setParticipants } from '#gateway/operate/partners.ts';
import { coreOfTest } from '../../../support/core.ts';
import { invoice, SELLER } from '../../../support/documents.ts';
import { created, type Script, type ScriptedService, type Seen } from '../../../support/scripted-service.ts';
import { called, connect, openSftp } from '../../../support/sftp-clients.ts';
import { PASSWORD_HASH } from '../../../support/sftp-server.ts';
import { given, type Service, type StandsBehind, scripted } from '../../../support/world/services.ts';
import { SESSION, startWorld, type World } from '../../../support/world/world.ts';

const HOME = 'acme-ab';
const STRANGER = '0088:7300010000018';
const WRONG = Buffer.from(
  Buffer.from(invoice({ id: 'W-1' }))
    .toString()
    .replace(/(<cbc:PayableAmount[^>]*>)[\d.]+/, '$199.99'),
);

interface Client<Kind extends Service> {
  readonly world: World<Kind>;
  put(path: string, bytes: Uint8Array | string): Promise<string>;
  move(from: string, to: string): Promise<string>;
  list(folder: string): Promise<string[]>;
}

interface ScriptedClient extends Client<ScriptedService> {
  /** What the service was posted. */
  readonly posted: Seen[];
}

async function answered(asked: Promise<void>): Promise<string> {
  return asked.then(
    () => 'OK',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/** What the service says of receivers. */
const receiver =
  (canReceive: 'yes' | 'no', meant: string | null = null): Script =>
  () => ({
    status: 200,
    body: {
      status: 'success',
      data: {
        receiver: 'x',
        canReceive,
        reason: canReceive === 'no' ? 'Nobody is registered there.' : null,
        takes: canReceive === 'yes' ? [{ family: 'Invoice', profiles: ['peppol-billing'] }] : [],
        meant,
      },
    },
  });
const NOT_OFFERED: Script = () => ({ status: 404 });

/** A client of a login with the folder, before a service that takes all documents and says this of receivers; the account has these addresses. */
async function enter(
  rules: LoginRules = { answers: ['test'] },
  says: Script = receiver('yes'),
  participants: readonly string[] = [SELLER],
  ofSenders: Script = NOT_OFFERED,
): Promise<ScriptedClient> {
  const posted: Seen[] = [];
  const service = scripted((seen) => {
    if (seen.path.includes('/receivers/')) return says(seen);
    if (seen.path.includes('/senders/')) return ofSenders(seen);
    if (seen.method !== 'POST') return { status: 204 };
    posted.push(seen);
    return created();
  });
  return { ...(await clientOf(service, { [HOME]: 'key' }, rules, participants)), posted };
}

/** The account is the first of these, and has these addresses at the gateway. */
async function clientOf<Kind extends Service>(
  service: StandsBehind<Kind>,
  accounts: Readonly<Record<string, string>>,
  rules: LoginRules,
  participants: readonly string[],
): Promise<Client<Kind>> {
  const [home = ''] = Object.keys(accounts);
  const world = await startWorld(service, {
    accounts,
    before: async (on) => {
      await addLogin(on, { login: 'erp', passwordHash: PASSWORD_HASH, publicKeys: [], rules });
    },
  });
  await world.administer((on) => addLoginHome(on, 'erp', home, ''));
  await world.administer((on) => setParticipants(on, home, participants));
  await world.restart();
  const client = await connect({ port: world.gateway().sftp.port, knownHosts: '' });
  onTestFinished(() => void client.end());
  const sftp = await openSftp(client);
  return {
    world,
    put: (path, bytes) => answered(called((done) => sftp.writeFile(path, Buffer.from(bytes), done))),
    move: (from, to) => answered(called((done) => sftp.rename(from, to, done))),
    list: async (folder) =>
      (await called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir(folder, done))).map(({ filename }) => filename).sort(),
  };
}

describe('what is put into test', () => {
  it('is reported by CLOSE, as a program and as a person read it; nothing is sent, and nothing else is kept', async () => {
    const { world, posted, put, list } = await enter();
    expect(await put('/inbox/test/good.xml', invoice({ id: 'T-1' }))).toBe('OK');
    const report = await world.receipt(HOME, 'good.xml', 'tested', 0);
    expect(report).toMatchObject({ stage: 'tested', code: null, action: 'none', documentId: 'T-1', integrationId: null, findings: [] });
    expect(report.message).toMatch(
      /^This was a test, and nothing was sent\. Invoice T-1 would be accepted\. The receiver \S+ can receive it\.$/,
    );
    expect(await put('/inbox/test/wrong.xml', WRONG)).toBe('OK');
    expect(await world.receipt(HOME, 'wrong.xml', 'tested', 0)).toMatchObject({
      code: 'rule',
      action: 'fix',
      message: expect.stringMatching(/Invoice W-1 would be refused\. .*The receiver \S+ can receive it\.$/),
      findings: [{ rule: 'BR-CO-16' }],
    });
    expect(await put('/inbox/test/none.xml', 'no document')).toBe('OK');
    expect(await world.receipt(HOME, 'none.xml', 'tested', 0)).toMatchObject({ code: 'not-ubl', action: 'fix', documentId: null });
    const texts = world.files(HOME, 'receipts').filter((name) => name.endsWith('.tested.txt'));
    expect(texts).toHaveLength(3);
    const text = texts.map((name) => world.read(HOME, 'receipts', name).toString()).find((each) => each.includes('W-1'));
    expect(text).toContain('finding.1.rule=BR-CO-16\n');
    expect(await list('/inbox/test')).toEqual(['good.xml', 'none.xml', 'wrong.xml']);
    expect([world.spooled(), await world.items(), world.files(HOME, 'refused'), world.files(HOME, 'accepted')]).toEqual([[], [], [], []]);
    await world.restart();
    expect(posted).toEqual([]);
    expect(await world.items()).toEqual([]);
  });

  it('is told whether its number is taken, and that it would not be sent twice', async () => {
    const { world, posted, put } = await enter();
    expect(await put('/inbox/real.xml', invoice({ id: 'N-1' }))).toBe('OK');
    await world.receipt(HOME, 'real.xml', 'accepted');
    await put('/inbox/test/same.xml', invoice({ id: 'N-1' }));
    expect(await world.receipt(HOME, 'same.xml', 'tested', 0)).toMatchObject({
      code: null,
      message: expect.stringContaining('has it with the same content already'),
    });
    // Where the service cannot be asked, what was sent from here counts.
    const before = world.service.script;
    world.service.script = (seen) => {
      if (seen.method !== 'GET' || seen.path.includes('/receivers/')) return before(seen);
      return { status: 500 };
    };
    await put('/inbox/test/other.xml', invoice({ id: 'N-1', note: 'Another.' }));
    expect(await world.receipt(HOME, 'other.xml', 'tested', 0)).toMatchObject({
      code: 'number-taken',
      action: 'fix',
      message: expect.stringContaining('drop it in inbox/overwrite'),
    });
    await put('/inbox/test/untold.xml', invoice({ id: 'N-2' }));
    expect(await world.receipt(HOME, 'untold.xml', 'tested', 0)).toMatchObject({
      code: null,
      message: expect.stringContaining('whether the service has one cannot be asked now'),
    });
    expect(posted).toHaveLength(1);
  });

  it.each([
    ['that cannot receive', receiver('no', '0088:7350000000016'), 'receiver-unknown', 'Probably 0088:7350000000016 was meant'],
    ['that the service cannot be asked of', NOT_OFFERED, null, 'cannot be asked: the service does not have the question'],
    ['of whom nothing is known now', (): ReturnType<Script> => ({ status: 500 }), null, 'is not known now'],
  ] as const)('is told of a receiver %s', async (_, says, code, sentence) => {
    const { world, put } = await enter(undefined, says);
    await put('/inbox/test/good.xml', invoice({ id: 'R-1' }));
    expect(await world.receipt(HOME, 'good.xml', 'tested', 0)).toMatchObject({ code, message: expect.stringContaining(sentence) });
  });

  it("is told that its sender is not the account's, as it would be for real", async () => {
    const { world, put } = await enter();
    const strange = invoice({ id: 'S-1', sender: STRANGER });
    expect(await put('/inbox/test/strange.xml', strange)).toBe('OK');
    const told = await world.receipt(HOME, 'strange.xml', 'tested', 0);
    expect(told).toMatchObject({ code: 'sender-not-yours', action: 'fix', documentId: 'S-1' });
    expect(await put('/inbox/strange.xml', strange)).toBe('OK');
    const { code, message } = await world.receipt(HOME, 'strange.xml', 'refused');
    expect([code, told.message]).toEqual([
      'sender-not-yours',
      `This was a test, and nothing was sent. Invoice S-1 would be refused. ${message}`,
    ]);
    expect(message).toContain(`It may be sent from ${SELLER}.`);
  });

  it.each([
    ['whose service cannot say now', { status: 500 }, 'is not known now'],
    ['whose service does not have the question', { status: 404 }, 'cannot be checked here, for none is known of it'],
  ] as const)('is told of a sender %s, where no address of the account is known', async (_, answer, sentence) => {
    const { world, put } = await enter(undefined, undefined, [], () => answer);
    expect(await put('/inbox/test/strange.xml', invoice({ id: 'S-3', sender: STRANGER }))).toBe('OK');
    const { code, message } = await world.receipt(HOME, 'strange.xml', 'tested', 0);
    expect([code, message]).toEqual([null, expect.stringContaining(`Whether ${STRANGER} is an address of ${HOME} ${sentence}`)]);
  });

  it("is told that its sender is not the account's by a core that alone knows the addresses, as it would be for real", async () => {
    const { core, seller } = await coreOfTest();
    const { world, put } = await clientOf(given(core), { seller: seller.gatewayKey }, { answers: ['test'] }, []);
    expect(await put('/inbox/test/own.xml', invoice({ id: 'O-1' }))).toBe('OK');
    expect(await world.receipt('seller', 'own.xml', 'tested', 0)).toMatchObject({
      code: null,
      message: expect.stringMatching(
        /^This was a test, and nothing was sent\. Invoice O-1 would be accepted\. The receiver \S+ can receive it\.$/,
      ),
    });
    const strange = invoice({ id: 'S-4', sender: STRANGER });
    expect(await put('/inbox/test/strange.xml', strange)).toBe('OK');
    const told = await world.receipt('seller', 'strange.xml', 'tested', 0);
    expect(await put('/inbox/strange.xml', strange)).toBe('OK');
    const real = await world.receipt('seller', 'strange.xml', 'refused');
    expect(real).toMatchObject({ code: 'sender-not-yours', message: expect.stringContaining(`The account has ${SELLER}.`) });
    expect(told).toMatchObject({ code: real.code, action: real.action, findings: real.findings });
    expect(told.message).toBe(
      `This was a test, and nothing was sent. Invoice S-4 would be refused. ${real.message} The receiver ${told.receiver} can receive it.`,
    );
  });

  it('is tested also where verdicts refuse, by a rename to its real name, too; what waits may be moved in and out', async () => {
    const { world, posted, put, move, list } = await enter({ answers: ['test'], verdict: 'strict' });
    expect(await put('/inbox/test/strict.xml', WRONG)).toBe('OK');
    expect(await put('/inbox/test/a.xml.filepart', WRONG)).toBe('OK');
    expect(world.stages(HOME, 'a.xml')).toEqual([]);
    expect(await move('/inbox/test/a.xml.filepart', '/inbox/test/a.xml')).toBe('OK');
    expect(await put('/inbox/b.xml.tmp', WRONG)).toBe('OK');
    expect(await move('/inbox/b.xml.tmp', '/inbox/test/b.xml')).toBe('OK');
    for (const name of ['strict.xml', 'a.xml', 'b.xml']) expect(world.stages(HOME, name)).toEqual(['tested', 'tested']);
    // Out of it, under its real name, it is dropped.
    expect(await put('/inbox/test/c.xml.tmp', invoice({ id: 'C-1' }))).toBe('OK');
    expect(await move('/inbox/test/c.xml.tmp', '/inbox/c.xml')).toBe('OK');
    await world.receipt(HOME, 'c.xml', 'accepted');
    expect(posted).toHaveLength(1);
    expect(await move('/inbox/test/a.xml', '/inbox/a.xml')).toMatch(
      /was tested, and nothing of it was kept; put the file into the inbox to send it/,
    );
    expect(await move('/inbox/c.xml', '/inbox/test/c.xml')).toMatch(/was taken, and is sent/);
    expect(await move('/inbox/test/a.xml', '/inbox/test/again.xml')).toBe('OK');
    expect(await list('/inbox/test')).toEqual(['again.xml', 'b.xml', 'strict.xml']);
    expect(await world.items()).toHaveLength(1);
  });

  it('is never sent when the process ends before the report: no client was told OK', async () => {
    const { world, posted } = await enter();
    const open = { home: HOME, folder: 'test', login: 'erp', session: SESSION, resume: false } as const;
    const bytes = invoice({ id: 'K-1' });
    const { intake } = world.gateway();
    const { upload, path } = await intake.open({ ...open, name: 'killed.xml' });
    writeFileSync(path, bytes);
    const waiting = await intake.open({ ...open, name: 'waits.xml.tmp' });
    writeFileSync(waiting.path, bytes);
    expect(await intake.commit(waiting.upload, { size: bytes.length, sha256: null })).toEqual({ state: 'waiting' });
    await world.restart();
    const seen = await world.gateway().intake.view(open, SESSION);
    expect(seen.map(({ name, state }) => [name, state])).toEqual([
      ['killed.xml', 'broken'],
      ['waits.xml.tmp', 'waiting'],
    ]);
    await expect(world.gateway().intake.commit(upload, { size: bytes.length, sha256: null })).rejects.toThrow('has ended already');
    expect(await world.items()).toEqual([]);
    expect(posted).toEqual([]);
  });
});

it('a refused original that is moved into test is not sent, and stays where it was', async () => {
  const { world, posted, put, move, list } = await enter();
  expect(await put('/inbox/wrong.xml', WRONG)).toBe('OK');
  await world.receipt(HOME, 'wrong.xml', 'accepted');
  expect(await put('/inbox/none.xml', 'no document')).toBe('OK');
  await world.receipt(HOME, 'none.xml', 'refused');
  const [original = ''] = await list('/refused');
  expect(await move(`/refused/${original}`, '/inbox/test/none.xml')).not.toBe('OK');
  expect(await list('/refused')).toEqual([original]);
  expect(await world.items()).toHaveLength(2);
  expect(posted).toHaveLength(1);
});

it('a login without the rule has no such folder', async () => {
  const { put, list } = await enter({});
  expect(await list('/inbox')).toEqual(['overwrite', 'tmp']);
  expect(await put('/inbox/test/x.xml', invoice())).not.toBe('OK');
});
