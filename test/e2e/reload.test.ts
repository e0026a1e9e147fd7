// SIGHUP: a daemon under load reads its configuration again. Nothing is lost, no session is cut, and the new settings are in force.
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { certified } from '../support/certificates.ts';
import { type Fact, SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { called, connect, openSftp, tryLogin } from '../support/sftp-clients.ts';
import { eventually, until } from '../support/until.ts';

const DOCUMENTS = 60;
const RELOADS = 5;

let daemon: TestDaemon;
/** Certificate and key of the core. */
const pem = { cert: '', key: '' };

beforeAll(async () => {
  daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  Object.assign(pem, { cert: join(daemon.folder, 'tls.crt'), key: join(daemon.folder, 'tls.key') });
  certify('before');
  configure({ core: { tls: pem } });
  await daemon.stop();
  await daemon.start();
});
afterAll(() => daemon[Symbol.asyncDispose]());

function certify(name: string): void {
  const { certificate, key } = certified({ name, kind: 'ec', names: { ip: ['127.0.0.1'], dns: [] } });
  writeFileSync(pem.cert, certificate);
  writeFileSync(pem.key, key);
}

/** Lays settings over the configuration. */
function configure(changes: Readonly<Record<string, object>>): void {
  const before = parse(readFileSync(daemon.configFile, 'utf8'));
  const sections = Object.entries(changes).map(([section, values]) => [section, { ...before[section], ...values }]);
  writeFileSync(daemon.configFile, stringify({ ...before, ...Object.fromEntries(sections) }));
}

const told = (event: string): Fact[] => daemon.facts().filter((fact) => fact.event === event);

/** Resolves with what the daemon says of a reload. */
function reload(event = 'daemon.reloaded'): Promise<Fact> {
  const before = told(event).length;
  daemon.signal('SIGHUP');
  return until('the reload', () => told(event)[before]);
}

/** The common name of the core's certificate. */
function servedBy(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port: Number(new URL(daemon.coreUrl).port), rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

/** What the seller may ask of the core. */
function requestsMax(): Promise<unknown> {
  const headers = { authorization: `ApiKey ${daemon.apiKey('seller')}` };
  return new Promise((resolve, reject) => {
    const request = get(`${daemon.coreUrl}/transaction/seller/invoices/outgoing`, { rejectUnauthorized: false, headers }, (answer) => {
      answer.resume();
      resolve(answer.headers['ratelimit-limit']);
    });
    request.on('error', reject);
  });
}

it('under load nothing is lost and no session is cut', async () => {
  const client = await connect(daemon);
  const sftp = await openSftp(client);
  let ended = false;
  client.on('close', () => (ended = true));
  const upload = async (n: number): Promise<void> => {
    await called((done) => sftp.writeFile(`inbox/load-${n}.xml`, Buffer.from(invoice({ id: `LOAD-${n}` })), done));
  };
  const uploads = (async () => {
    for (let n = 0; n < DOCUMENTS; n++) await upload(n);
  })();
  for (let n = 1; n <= RELOADS; n++) {
    configure({ sftp: { itemsPerAccountMax: 10_000 + n } });
    expect(await reload()).toMatchObject({ changed: ['sftp.itemsPerAccountMax'], kept: [] });
  }
  await uploads;
  expect(ended).toBe(false);
  await eventually(() => expect(daemon.files('buyer', 'outbox')).toHaveLength(DOCUMENTS));
  expect(daemon.files('seller', 'accepted')).toHaveLength(DOCUMENTS);
  client.end();
});

it('a new limit holds in a session that is there, and lists for connections that come', async () => {
  const client = await connect(daemon);
  const send = async (bytes: number): Promise<void> => {
    const sftp = await openSftp(client);
    await called((done) => sftp.writeFile(`inbox/size-${bytes}.txt`, Buffer.alloc(bytes), done));
  };
  await send(5_000);
  configure({ sftp: { fileMax: '4KiB', deny: ['127.0.0.0/8'] } });
  expect(await reload()).toMatchObject({ changed: ['sftp.fileMax', 'sftp.deny'], kept: [] });
  await expect(send(5_001)).rejects.toThrow('larger than');
  expect(await tryLogin(daemon, {})).not.toBe('in');
  configure({ sftp: { fileMax: '20MiB', deny: false, sessionsPerLoginMax: 1 } });
  await reload();
  await send(5_002);
  expect(await tryLogin(daemon, {})).not.toBe('in');
  configure({ sftp: { sessionsPerLoginMax: 20 } });
  await reload();
  expect(await tryLogin(daemon, {})).toBe('in');
  client.end();
});

it('the core has new limits, the new certificate, and the log another level', async () => {
  expect(await servedBy()).toBe('before');
  certify('after');
  configure({ core: { requests: 77 }, log: { level: 'debug' }, sftp: { deny: ['127.0.0.1'] } });
  expect(await reload()).toMatchObject({ changed: ['log.level', 'sftp.deny', 'core.tls', 'core.requests'], kept: [] });
  expect(await servedBy()).toBe('after');
  expect(await requestsMax()).toBe('77');
  await tryLogin(daemon, {});
  await until('a line of level debug', () => told('sftp.connection-refused')[0]);
  configure({ log: { level: 'info' }, sftp: { deny: false } });
  await reload();
});

it('what only a restart changes is named, and stays', async () => {
  configure({
    gateway: { submits: 7 },
    core: { tls: null, keepMessages: '90d', network: { giveUp: '24h' } },
    sftp: { linger: '61s' },
    alarms: { diskFree: '1GiB' },
  });
  expect(await reload()).toMatchObject({
    level: 'warn',
    changed: ['sftp.linger', 'core.keepMessages', 'core.network.giveUp', 'alarms.diskFree'],
    kept: ['core.tls', 'gateway.submits'],
    sentence:
      'In force now: sftp.linger, core.keepMessages, core.network.giveUp, alarms.diskFree. Only a restart changes core.tls, gateway.submits.',
  });
  expect(await servedBy()).toBe('after');
});

it('a file that cannot be used changes nothing', async () => {
  const right = readFileSync(daemon.configFile, 'utf8');
  writeFileSync(daemon.configFile, right.replace('linger: 61s', 'linger: 62s\n  fileMx: 1KiB'));
  expect(await reload('daemon.reload-refused')).toMatchObject({ sentence: expect.stringContaining("did you mean 'fileMax'?") });
  writeFileSync(daemon.configFile, right.replace('linger: 61s', 'linger: 63s'));
  expect(await reload()).toMatchObject({ changed: ['sftp.linger'] });
});

it('a hundred hangups at once, also while it starts, end nothing', async () => {
  await daemon.stop();
  const starting = daemon.start();
  await until('its start', () => told('daemon.starting').length > 2);
  for (let n = 0; n < 100; n++) daemon.signal('SIGHUP');
  await starting;
  for (let n = 0; n < 100; n++) daemon.signal('SIGHUP');
  await reload();
  expect(await tryLogin(daemon, {})).toBe('in');
});
