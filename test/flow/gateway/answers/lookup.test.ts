// The folder `lookup`: whether a receiver can receive, asked by getting a file of its address, at a price that no client can run up.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type ssh2 from 'ssh2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dnsNameOf } from '#core/network/identifiers.ts';
import { isoTime } from '#domain/day.ts';
import type { LoginRules } from '#gateway/model/login-rules.ts';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { INVOICES, startSellerBehindHttp, ZONE } from '../../../support/network.ts';
import { created, type Script, type ScriptedService } from '../../../support/scripted-service.ts';
import { called, connect, type Door, have, openSftp, openSsh } from '../../../support/sftp-clients.ts';
import { PASSWORD_HASH } from '../../../support/sftp-server.ts';
import { until } from '../../../support/until.ts';
import { given, type Service, type StandsBehind, scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const MINUTE_MS = 60_000;
const REGISTERED = '0208:0123456749';

/** A home with two logins that see its `lookup`. */
async function start<Kind extends Service>(stands: StandsBehind<Kind>, accounts: Record<string, string>): Promise<World<Kind>> {
  const rules: LoginRules = { answers: ['lookup', 'test'] };
  const world = await startWorld(stands, {
    accounts,
    before: async (on) => {
      for (const login of ['erp', 'other']) await addLogin(on, { login, passwordHash: PASSWORD_HASH, publicKeys: [], rules });
    },
  });
  await world.administer(async (on) => {
    for (const login of ['erp', 'other']) await addLoginHome(on, login, Object.keys(accounts)[0] ?? '', '');
  });
  await world.restart();
  return world;
}

const doorOf = (world: World, login: string): Door => ({ port: world.gateway().sftp.port, knownHosts: '', login });

interface Client {
  list(): Promise<string[]>;
  /** The size that it has before it is read must be that of what is read. */
  get(name: string): Promise<string>;
  /** Resolves when the report of a test is there. */
  judged(name: string, bytes: Uint8Array): Promise<void>;
}

async function enter(world: World, login = 'erp'): Promise<Client> {
  const client = await connect(doorOf(world, login));
  onTestFinished(() => void client.end());
  const sftp = await openSftp(client);
  return {
    list: async () => (await called<ssh2.FileEntryWithStats[]>((done) => sftp.readdir('/lookup', done))).map(({ filename }) => filename),
    async get(name) {
      const { size } = await called<ssh2.Stats>((done) => sftp.stat(`/lookup/${name}`, done));
      const bytes = await called<Buffer>((done) => sftp.readFile(`/lookup/${name}`, done));
      expect(bytes.length).toBe(size);
      return bytes.toString();
    },
    judged: (name, bytes) => called((done) => sftp.writeFile(`/inbox/test/${name}`, Buffer.from(bytes), done)),
  };
}

describe('before a core on the network', () => {
  it('says yes with families and profiles, no with whom was meant, and that it is not known now', async () => {
    const { network, core } = await startSellerBehindHttp();
    network.smp.participants.set(REGISTERED, [INVOICES]);
    network.answers.set(dnsNameOf(BUYER, ZONE), 'servfail');
    const world = await start(given(core.core), { seller: core.seller.gatewayKey });
    const { get } = await enter(world);
    const fact = (name: string, text: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];

    const yes = await get(`${REGISTERED}.txt`);
    expect(yes).toMatch(/^can receive: yes\nInvoice: peppol-billing\naddress: 0208:0123456749\nasked at: 20\d\d-.*Z\n$/);
    const no = await get('0208:0123456789.txt');
    expect(no).toMatch(/^can receive: no\nwhy: The receiver 0208:0123456789 is not registered on the network\./);
    expect(fact('probably meant', no)).toBe(REGISTERED);
    expect(fact('probably meant', await get('9925:BE0123456749.txt'))).toBe(REGISTERED);
    expect(await get(`${BUYER}.txt`)).toMatch(/^can receive: not known now\nwhy: DNS cannot say now/);
    network.answers.delete(dnsNameOf(BUYER, ZONE));
    world.clock.advance(10_000);
    expect(await get(`${BUYER}.txt`)).toMatch(/^can receive: yes\n/);
    expect(await get(`${SELLER}.txt`)).toMatch(/^can receive: yes\n.*\nDespatchAdvice: despatch-advice\n/s);
  });
});

/** A service that answers the question so, and counts how often it was asked. */
function asked(answer: Script): { stands: StandsBehind<ScriptedService>; questions: string[] } {
  const questions: string[] = [];
  const stands = scripted((seen) => {
    if (!seen.path.includes('/receivers/')) return { status: 204 };
    questions.push(decodeURIComponent(seen.path.split('/').at(-1) ?? ''));
    return answer(seen);
  });
  return { stands, questions };
}
const registeredSince =
  (ageMs?: number): Script =>
  ({ path }) => {
    const receiver = decodeURIComponent(path.split('/').at(-1) ?? '');
    const takes = [{ family: 'Invoice', profiles: ['peppol-billing'] }];
    return {
      status: 200,
      body: {
        status: 'success',
        data: { receiver, canReceive: 'yes', reason: null, takes, meant: null, ...(ageMs !== undefined && { ageMs }) },
      },
    };
  };
const registered = registeredSince();
const HOME = { 'acme-ab': 'key' };

describe('before a service of somebody else', () => {
  it.each([404, 405, 501])('that does not have the question (%i) it says so, and asks again after ten minutes', async (status) => {
    const { stands, questions } = asked(() => ({ status }));
    const world = await start(stands, HOME);
    const { get } = await enter(world);
    for (const name of ['0208:0123456749', '0208:0123456749', '0088:7300010000001']) {
      expect(await get(`${name}.txt`)).toMatch(/^can receive: cannot be asked\nwhy: The service does not have the question\./);
    }
    expect(questions).toHaveLength(1);
    world.clock.advance(10 * MINUTE_MS);
    await get('0208:0123456749.txt');
    expect(questions).toHaveLength(2);
  });

  it.each([
    ['500', { status: 500 }],
    ['a page', { status: 200, body: '<html/>' }],
    ['no answer', 'reset'],
  ] as const)('that fails (%s) it says that it is not known now', async (_, reply) => {
    const world = await start(asked(() => reply).stands, HOME);
    const { get } = await enter(world);
    expect(await get('0208:0123456749.txt')).toMatch(/^can receive: not known now\nwhy: The service .*\nwhat to do: Ask again later/);
  });

  it('what it tells takes no line of its own', async () => {
    const reason = 'No.\ncan receive: yes\u001b[2J';
    const { stands } = asked(() => ({
      status: 200,
      body: { status: 'success', data: { receiver: 'x', canReceive: 'no', reason, takes: [], meant: null } },
    }));
    const { get } = await enter(await start(stands, HOME));
    expect((await get('0208:0123456749.txt')).split('\n').slice(0, 2)).toEqual([
      'can receive: no',
      'why: No.\\u000acan receive: yes\\u001b[2J',
    ]);
  });
});

describe('names', () => {
  it('lists how to ask, and takes an address with a colon, a hyphen, or spelled by bytes', async () => {
    const { stands, questions } = asked(registered);
    const { list, get } = await enter(await start(stands, HOME));
    expect(await list()).toEqual(['README.txt']);
    expect(await get('README.txt')).toContain('get lookup/0208:0123456749.txt');
    for (const name of ['0208:0123456749.txt', '0208-0123456749.txt', '0208%3A0123456749.txt', '0208:0123456749']) {
      expect(await get(name), name).toMatch(/^can receive: yes\n/);
    }
    await get('9925-BE0123456749.txt');
    expect(questions).toEqual(['0208:0123456749', '9925:be0123456749']);
  });

  it.each(['nonsense.txt', '208:1.txt', '0208:.txt', '0208.txt', '%zz.txt', '0208:å.txt', `0208:${'1'.repeat(131)}.txt`])(
    'a sentence says that %j is no address, and nobody is asked',
    async (name) => {
      const { stands, questions } = asked(registered);
      const { get } = await enter(await start(stands, HOME));
      expect(await get(name)).toMatch(/^can receive: no address\nwhy: .* is no address: ask for SCHEME:VALUE\.txt/);
      await expect(get('desktop.ini')).rejects.toThrow(/no such file/i);
      expect(questions).toEqual([]);
    },
  );
});

describe('a client that asks for a thousand addresses', () => {
  it('is told when it has asked for thirty, may ask for what it knows, and for one more every two seconds', async () => {
    const { stands, questions } = asked(registered);
    const world = await start(stands, HOME);
    const [{ get }, other] = [await enter(world), await enter(world, 'other')];
    const all: string[] = [];
    // A session has room for 64 open files.
    for (let at = 0; at < 1_000; at += 50)
      all.push(...(await Promise.all(Array.from({ length: 50 }, (_, each) => get(`0088:${at + each}.txt`)))));
    const [told, refused] = [
      all.filter((text) => text.startsWith('can receive: yes')),
      all.filter((text) => text.startsWith('can receive: not asked')),
    ];
    expect([told.length, refused.length]).toEqual([30, 970]);
    expect(refused[0]).toContain('This login asks for too many receivers: it may ask for 30 at once, then for one more every 2 seconds.');
    expect(questions).toHaveLength(30);
    expect(await get(`${questions[7]}.txt`)).toMatch(/^can receive: yes/);
    expect(await other.get('0088:5000.txt')).toMatch(/^can receive: yes/);
    world.clock.advance(2_000);
    expect(await get('0088:6000.txt')).toMatch(/^can receive: yes/);
    expect(await get('0088:6001.txt')).toMatch(/^can receive: not asked\n/);
    expect(await other.get('0088:6001.txt')).toMatch(/^can receive: yes\n/);
    expect(questions).toHaveLength(33);
  });
});

it('while the service does not answer, eight questions are under way, and other sessions and documents go on', async () => {
  const answers = Promise.withResolvers<void>();
  const { stands, questions } = asked(async (seen) => {
    if (questions.length > 1) await answers.promise;
    return registered(seen);
  });
  const world = await start(stands, HOME);
  const other = await enter(world, 'other');
  // By this answer the service has told its limits.
  await other.get('0088:first.txt');
  const sessions = await Promise.all(Array.from({ length: 10 }, () => enter(world)));
  const all = Promise.all(sessions.map(({ get }, at) => get(`0088:${at}.txt`)));
  await until('eight questions', () => questions.length === 9);
  expect(await other.list()).toEqual(['README.txt']);
  world.service.script = (seen) => (seen.method === 'POST' ? created() : { status: 204 });
  await world.drop('acme-ab', 'meanwhile.xml', invoice());
  await world.receipt('acme-ab', 'meanwhile.xml', 'accepted');
  expect(questions).toHaveLength(9);
  world.service.script = registered;
  answers.resolve();
  expect((await all).every((text) => text.startsWith('can receive: yes'))).toBe(true);
});

it('an answer is kept for ten minutes, to the millisecond', async () => {
  const { stands, questions } = asked(registered);
  const world = await start(stands, HOME);
  const { get } = await enter(world);
  const first = await get('0208:0123456749.txt');
  world.clock.advance(10 * MINUTE_MS - 1);
  expect(await get('0208:0123456749.txt')).toBe(first);
  expect(questions).toHaveLength(1);
  world.clock.advance(1);
  expect(await get('0208:0123456749.txt')).not.toBe(first);
  expect(questions).toHaveLength(2);
});

it('an answer is ten minutes old at the most, wherever it was kept before', async () => {
  const { stands, questions } = asked(registeredSince(9 * MINUTE_MS));
  const world = await start(stands, HOME);
  const { get } = await enter(world);
  const told = await get('0208:0123456749.txt');
  expect(told).toContain(`asked at: ${isoTime(world.clock.now() - 9 * MINUTE_MS)}`);
  world.clock.advance(MINUTE_MS - 1);
  expect(await get('0208:0123456749.txt')).toBe(told);
  expect(questions).toHaveLength(1);
  world.clock.advance(1);
  await get('0208:0123456749.txt');
  expect(questions).toHaveLength(2);
});

it('what a test has asked is not kept anew by a look', async () => {
  const { stands, questions } = asked(registered);
  const world = await start(stands, HOME);
  const { get, judged } = await enter(world);
  await judged('a.xml', invoice());
  expect(questions).toEqual([BUYER]);
  world.clock.advance(10 * MINUTE_MS - 1);
  const told = await get(`${BUYER}.txt`);
  expect(questions).toHaveLength(1);
  world.clock.advance(1);
  expect(await get(`${BUYER}.txt`)).not.toBe(told);
  expect(questions).toHaveLength(2);
});

it.runIf(have('sftp'))('OpenSSH gets the answer, and the sentence where there is none', async () => {
  const world = await start(asked(registered).stands, HOME);
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-lookup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const door = { ...doorOf(world, 'erp'), knownHosts: join(folder, 'known_hosts') };
  const [key] = await loadHostKeys(join(world.data, 'keys'));
  writeFileSync(door.knownHosts, `[127.0.0.1]:${door.port} ${key?.publicLine}\n`);
  const local = join(folder, 'answer.txt');
  expect(await openSsh(door, [`get "lookup/${REGISTERED}.txt" ${local}`], ['-b', '-'])).toMatchObject({ status: 0 });
  expect(readFileSync(local, 'utf8')).toMatch(/^can receive: yes\nInvoice: peppol-billing\n/);
  const many = Array.from({ length: 31 }, (_, at) => `get "lookup/0088:${at}.txt" ${local}`);
  const ran = await openSsh(door, many, ['-b', '-']);
  expect(ran.status).toBe(0);
  expect(readFileSync(local, 'utf8')).toMatch(/^can receive: not asked\nwhy: This login asks for too many receivers/);
});
