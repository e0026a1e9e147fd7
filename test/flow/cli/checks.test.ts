// check-config tries what serve will, and tells all problems in one round; doctor tells how to mend them.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkPorts } from '#installation/checks/ports.ts';
import { systemRandom } from '#runtime/clock.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { certified } from '../../support/certificates.ts';
import { freePort } from '../../support/free-port.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { hasPostgres, newPostgresDatabase, type PostgresDatabase, sharedPostgres } from '../../support/postgres.ts';
import { startRelay } from '../../support/relay.ts';
import { testSite } from '../../support/site.ts';
import { makeLater } from '../../support/world/ledger-files.ts';

const ANY_PORT = 'sftp: {listen: "127.0.0.1:0"}\nadmin: {listen: off}';
const CORE = 'core: {listen: "127.0.0.1:0"}';
const DAY_MS = 86_400_000;

const site = testSite(`${ANY_PORT}\n${CORE}`);
const { at, run } = site;

function takenPort(visited?: (visitor: Socket) => void): Promise<number> {
  return portOf(createServer(visited));
}

async function portOf(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object(server.address()).port;
}

function certify(until: number): void {
  const { certificate, key } = certified({ name: 'gate.example', kind: 'ec', until });
  writeFileSync(at('tls.crt'), certificate);
  writeFileSync(at('tls.key'), key);
  site.configure(`${ANY_PORT}\ncore: {listen: "127.0.0.1:0", tls: {cert: ${at('tls.crt')}, key: ${at('tls.key')}}}`);
}

it('ends with OK where nothing is wrong, before the first start and after it', async () => {
  expect(await run('check-config')).toMatchObject({ status: 0, err: '', out: expect.stringMatching(/\n# OK$/) });
  await run('account add 1 --name One --login one');
  expect(await run('check-config')).toMatchObject({ status: 0, err: '', out: expect.stringMatching(/\n# OK$/) });
});

it('tells all problems in one round', async () => {
  const port = await takenPort();
  site.configure(
    `role: gateway\nsftp: {listen: "127.0.0.1:${port}", moreListeners: [{listen: "192.0.2.1:2222"}]}\nadmin: {listen: off}\nservice: {url: "https://nowhere.invalid"}`,
  );
  const { status, out, err } = await run('check-config');
  expect(status).toBe(64);
  expect(out).not.toContain('# OK');
  const lines = err.split('\n');
  expect(lines).toContain(`problem: Another program listens on 127.0.0.1:${port} already. Stop it, or change sftp.listen.`);
  expect(lines).toContainEqual(expect.stringMatching(/^problem: Nobody can listen on 192\.0\.2\.1:2222 .* Change sftp\.moreListeners/));
  expect(lines).toContainEqual(expect.stringMatching(/^problem: The host nowhere\.invalid is not found .* Mend service\.url/));
  expect(lines).toContainEqual(expect.stringMatching(/^warning: The service at https:\/\/nowhere\.invalid does not answer/));
});

it('a wrong setting hides none of the problems that have nothing to do with it', async () => {
  const port = await takenPort();
  site.configure(
    `role: gateway\nsftp: {listen: "127.0.0.1:${port}", lisen: "127.0.0.1:1", settle: 1s}\nadmin: {listen: 8082}\nservice: {url: "https://nowhere.invalid"}`,
  );
  const { status, out, err } = await run('check-config');
  expect([status, out]).toEqual([64, '']);
  expect(err).toMatch(
    /cannot be used:\n {2}line 3: sftp\.lisen is not known; did you mean 'listen'\?\n {2}line 3: .*settle.*\n {2}line 4: admin\.listen /,
  );
  expect(err).toMatch(/^problem: The host nowhere\.invalid is not found/m);
  // Which address is meant nobody knows.
  expect(err).not.toContain(`127.0.0.1:${port} already`);
  site.configure(`sftp: {listen: "127.0.0.1:${port}"}\ncore: {listen: "127.0.0.1:${port}"}\nadmin: {listen: 8082}`);
  const other = await run('check-config');
  expect(other.status).toBe(64);
  expect(other.err).toContain('admin.listen ');
  expect(other.err).toContain(`problem: Another program listens on 127.0.0.1:${port} already. Stop it, or change sftp.listen.`);
});

it('the address of the core may be held by systemd', async () => {
  site.configure(`${ANY_PORT}\ncore: {listen: "127.0.0.1:${await takenPort()}"}`);
  expect(await run('check-config')).toMatchObject({ status: 0, err: expect.stringContaining('dropgate.socket') });
});

it.each([
  ['has ended', -DAY_MS / 2, 64, /^problem: The certificate of core\.tls \(CN=gate\.example\) has ended on .* Renew it/],
  ['ends soon', 10 * DAY_MS, 0, /^warning: The certificate of core\.tls .* ends on/],
  ['holds', 90 * DAY_MS, 0, /^$/],
])('a certificate that %s', async (_, untilMs, status, told) => {
  certify(Date.now() + untilMs);
  expect(await run('check-config')).toMatchObject({ status, err: expect.stringMatching(told) });
});

it('a key that did not seal the ledgers', async () => {
  await run('account add 1 --name One --login one');
  writeFileSync(at('data/keys/secret.key'), systemRandom(32));
  const { status, err } = await run('check-config');
  expect([status, err]).toEqual([64, expect.stringMatching(/^problem: The gateway's ledger: The key file .* is not the one that sealed/)]);
});

it('a host key that cannot be used', async () => {
  await run('account add 1 --name One --login one');
  mkdirSync(at('data/keys'), { recursive: true });
  writeFileSync(at('data/keys/ssh_host_ed25519_key'), 'no key', { mode: 0o600 });
  const { status, out, err } = await run('check-config');
  expect([status, err]).toEqual([64, expect.stringMatching(/^problem: The host key .*ssh_host_ed25519_key cannot be read\. Restore it/)]);
  expect(out).not.toContain('# OK');
  expect((await run('doctor')).out).toMatch(/^problem\tThe host key/m);
  site.configure(`role: core\n${ANY_PORT}\n${CORE}`);
  expect(await run('check-config')).toMatchObject({ status: 0, err: '' });
});

it('ledgers of a later version are refused, by check-config and by every command', async () => {
  await run('account add 1 --name One --login one');
  makeLater(at('data'));
  const later = expect.stringMatching(/was made by a later version of Dropgate \(its schema is 999/);
  expect(await run('check-config')).toMatchObject({ status: 64, err: later });
  expect(await run('login list')).toMatchObject({ status: 64, err: later });
});

describe.runIf(hasPostgres)('of PostgreSQL both say what to do', () => {
  let held: PostgresDatabase;
  beforeEach(async () => {
    held = await newPostgresDatabase();
    onTestFinished(() => held[Symbol.asyncDispose]());
    configure();
  });

  interface Reached {
    readonly host?: string;
    readonly port?: number;
    readonly user?: string;
    readonly database?: string;
    readonly password?: string;
    readonly tls?: string;
  }

  /** As it should be, but for what is told. */
  function configure(differs: Reached = {}, role = ANY_PORT, core = ''): void {
    const { host, port, user, database, password, tls = '' } = { ...held.place, ...differs };
    writeFileSync(at('password'), password ?? '');
    const url = `postgres://${user}@${host}:${port}/${database}`;
    const settings = core === '' ? CORE : `admin: {listen: off}\ncore: {listen: "127.0.0.1:0", ${core}}`;
    site.configure(`${role}\n${settings}\ndatabase: {url: "${url}", password: {file: ${at('password')}}${tls}}`);
  }

  async function expectTold(sentence: string): Promise<void> {
    const checked = await run('check-config');
    expect(checked).toMatchObject({ status: 64, err: expect.stringContaining("problem: The core's ledger: ") });
    expect(checked.err).toContain(sentence);
    const { status, out } = await run('doctor');
    expect({ status, out }).toEqual({ status: 1, out: expect.stringContaining("problem\tThe core's ledger: ") });
    expect(out).toContain(sentence);
  }

  async function trusting(): Promise<string> {
    writeFileSync(at('ca.pem'), (await sharedPostgres()).authority);
    return `, sslmode: verify-full, ca: ${at('ca.pem')}`;
  }

  it.each([
    ['each has a name', 'node: a', 'folder: .', true],
    ['it is alone', '', 'folder: .', false],
    ['the access point is reached by HTTP', 'node: a', 'accessPoint: http, url: "http://127.0.0.1:9"', false],
  ])('warns that cores need one folder of an access point: %s', async (_, node, accessPoint, isWarned) => {
    mkdirSync(at('exchange'), { recursive: true });
    const reached = accessPoint.replace('.', at('exchange'));
    configure({}, `role: core\n${node}`, `network: {kind: peppol, country: SE, sml: sml.test, watch: off, ${reached}}`);
    const { err } = await run('check-config');
    const sentence = `warning: Each core of this database works on ${at('exchange')} as it sees it itself`;
    expect(err.includes(sentence)).toBe(isWarned);
    if (isWarned)
      expect(err).toContain(
        'See that all cores and the access point have one folder there, on a file system that all of them mount, or set core.network.accessPoint: http.',
      );
  });

  it.each<[string, () => Promise<Reached>, string]>([
    ['a port where nobody listens', async () => ({ port: await freePort() }), 'start PostgreSQL, or mend database.url'],
    [
      'a port of something else',
      async () => ({ port: await takenPort((visitor) => visitor.end('HTTP/1.1 400 Bad Request\r\n\r\n')) }),
      'mend database.url',
    ],
    [
      'a server that hangs up',
      async () => ({ port: await takenPort((visitor) => visitor.once('data', () => visitor.end())) }),
      'start PostgreSQL, or mend database.url',
    ],
    ['a host that is not known', async () => ({ host: 'nowhere.invalid' }), 'mend database.url'],
    ['a database that is not there', async () => ({ database: 'nothing' }), 'create it with createdb'],
    ['a role that is not there', async () => ({ user: 'somebody' }), 'mend database.password'],
    ['a wrong password', async () => ({ password: 'guessed' }), 'mend database.password'],
    ['an authority that is not named', async () => ({ tls: ', sslmode: verify-full' }), 'name its authority in database.ca'],
    [
      'a certificate for another host',
      async () => ({ ...(await startRelay(await sharedPostgres(), '127.0.0.2')), tls: await trusting() }),
      'and the host as the certificate does',
    ],
    [
      'a server without TLS',
      async () => ({ port: await takenPort((visitor) => visitor.on('data', () => visitor.write('N'))), tls: await trusting() }),
      'set ssl = on in postgresql.conf',
    ],
  ])('for %s', async (_, differs, sentence) => {
    configure(await differs());
    await expectTold(sentence);
  });

  it('for tables of somebody else, which they leave alone', async () => {
    await held.administer('create schema dropgate_core authorization dropgate; create table dropgate_core.theirs (a text)');
    await expectTold('name a database of its own in database.url');
    const { rows } = await held.administer("select relname from pg_class where relnamespace = 'dropgate_core'::regnamespace");
    expect(rows).toEqual([{ relname: 'theirs' }]);
  });

  it('for a database in which the role may make nothing', async () => {
    await held.administer(`alter database ${held.place.database} owner to postgres`);
    await expectTold('make the role the owner of the database');
  });

  it.each([
    ['a later', 999, 'run that version, or restore a backup'],
    ['an earlier', 1, 'an empty database in database.url'],
  ])('for tables of %s version', async (_, version, sentence) => {
    expect(await run('account add 1 --name One --login one')).toMatchObject({ status: 0 });
    await held.administer(`update dropgate_core.schema_version set version = ${version}`);
    await expectTold(sentence);
  });

  it('once for tables of a later version of the gateway', async () => {
    expect(await run('account add 1 --name One --login one')).toMatchObject({ status: 0 });
    await held.administer('update dropgate_gateway.schema_version set version = 999');
    expect((await run('check-config')).err.match(/its schema is 999/g)).toHaveLength(1);
  });

  it.each([6_000, -6_000])('for a clock that is %i ms off', async (ms) => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
    await expectTold('let both follow the same time servers (NTP)');
  });

  it('nothing where all is well, over TLS as well, before the first start and after it', async () => {
    for (const tls of ['', await trusting()]) {
      configure({ tls });
      expect(await run('check-config')).toMatchObject({ status: 0, err: '' });
      expect(await run('account list')).toMatchObject({ status: 0 });
      expect((await run('doctor')).out).toContain("well\tThe core's ledger can be read");
    }
  });
});

it('makes nothing', async () => {
  mkdirSync(at('empty'));
  writeFileSync(site.config, `data: ${at('empty', 'data')}\n${ANY_PORT}\n${CORE}\n`);
  expect(await run('check-config')).toMatchObject({ status: 0 });
  expect(await run('doctor')).toMatchObject({ status: 1 });
  expect(readdirSync(at('empty'))).toEqual([]);
});

it('doctor says how to mend what is not well, and ends with 1', async () => {
  await run('account add 1 --name One --login one');
  const { status, out } = await run('doctor');
  expect(status).toBe(1);
  expect(out).toContain(`problem\tNo daemon runs on ${at('data')}.\tStart it: systemctl start dropgate, or dropgate serve.`);
  expect(out).toContain("well\tThe gateway's ledger can be read");
  const facts = (await run('doctor --json')).out.split('\n').map((line) => JSON.parse(line));
  expect(facts[0]).toMatchObject({ state: 'problem', remedy: expect.stringContaining('systemctl start') });
});

it('asks a daemon that runs on its admin listener, too', async () => {
  const port = await freePort();
  site.configure(`role: core\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: "127.0.0.1:${port}"}`);
  const { config } = loadConfig(site.config, undefined);
  const look = () => checkPorts({ config, isRunning: true, nowMs: 0, doubtful: [], isFolderUnlike: false });
  const place = `the admin listener on 127.0.0.1:${port}`;
  expect(await look()).toMatchObject([{ state: 'problem', sentence: expect.stringContaining(`The daemon does not answer: ${place} (`) }]);
  const server = createHttpServer((request, response) => response.writeHead(request.url === '/livez' ? 200 : 404).end());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  expect(await look()).toMatchObject([{ state: 'well', sentence: `The daemon answers: ${place}.` }]);
});

it('tells of too little room on the disk, and how to see what takes it', async () => {
  site.configure(`${ANY_PORT}\n${CORE}\nalarms: {diskFree: 10000GiB}`);
  await run('account add 1 --name One --login one');
  const { status, err } = await run('check-config');
  expect(status).toBe(0);
  expect(err).toMatch(
    /^warning: Only \d+ MiB are free where .*, and alarms\.diskFree wants 10240000 MiB\. Make room, .*: du -sm .*\/\* says what takes it\.$/,
  );
  expect((await run('doctor')).out).toMatch(/^warning\tOnly \d+ MiB are free/m);
});

it('tells of a channel that could not tell its alarms', async () => {
  const post = { news: [], lost: 0, failures: 4, notBefore: 0, reason: 'wrong password' };
  mkdirSync(at('data', 'alarms'), { recursive: true });
  writeFileSync(at('data', 'alarms', 'state.json'), JSON.stringify({ standing: [], posts: { mail: post } }));
  const { out } = await run('doctor');
  expect(out).toMatch(/^warning\tThe channel mail of alarms has failed 4 times \(wrong password\)\.\t.*dropgate alarm test/m);
});

it('says whether mail server and webhook of alarms answer, and sends them nothing', async () => {
  await using server = await startMailServer();
  const hook = `http://127.0.0.1:${await takenPort()}/alarms`;
  const alarms = (port: number, url: string): string =>
    `alarms: {mail: {to: [ops@example.com], from: gate@example.com, server: "smtp://127.0.0.1:${port}"}, webhook: {url: "${url}"}}`;
  site.configure(`${ANY_PORT}\n${CORE}\n${alarms(server.port, hook)}`);
  await run('account add 1 --name One --login one');
  const all = await run('doctor');
  expect(all.out).toContain(`The mail server 127.0.0.1:${server.port} of alarms answers.`);
  expect(all.out).toContain(`The webhook ${new URL(hook).host} of alarms answers.`);
  expect(server.mails).toEqual([]);
  const nobody = await freePort();
  site.configure(`${ANY_PORT}\n${CORE}\n${alarms(nobody, `http://127.0.0.1:${nobody}/`)}`);
  const { status, err } = await run('check-config');
  expect(status).toBe(0);
  expect(err).toMatch(/warning: The mail server 127\.0\.0\.1:\d+ of alarms does not answer as it should \(.*\)\. Mend alarms\.mail/);
  expect(err).toMatch(/warning: The webhook .* Mend alarms\.webhook/);
});
