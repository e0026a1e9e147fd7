import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect } from 'node:tls';
import type { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { openCoreLedger } from '#core/ledger/open.ts';
import {
  addAccount,
  addParticipant,
  addPartner,
  linkPartner,
  listAccounts,
  removeAccount,
  rotateKey,
} from '#core/operate/administration.ts';
import { type CoreThreadOptions, startCoreThread } from '#core/thread/thread.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { certified } from '../../../support/certificates.ts';
import { coreOfTest, IN_PLACE, LOCAL_NETWORK, startTestCore } from '../../../support/core.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { serverOfTest } from '../../../support/postgres.ts';
import { keptIn } from '../../../support/world/ledger-files.ts';

async function open() {
  const test = await coreOfTest();
  return test;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'dropgate-core-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

const refused = (code: string, message = /./) => ({ code, message: expect.stringMatching(message) });

it('an account and a participant exist once; whose a participant is stays untold', async () => {
  const { administration } = await open();
  const add = (accountRegNo: string, ...participants: string[]) => addAccount(administration, { accountRegNo, name: 'N', participants });
  await expect(add('seller')).rejects.toMatchObject(refused('exists'));
  const taken = await add('third', '0007:1', BUYER).catch((error: Error) => error);
  expect(taken).toMatchObject(refused('exists', /0088:7350000000016 belongs to another account/));
  expect(String(taken)).not.toContain('buyer');
  await expect(add('Third!')).rejects.toMatchObject(refused('usage'));
  await expect(add('third', '0088:7350000000013')).rejects.toMatchObject(refused('usage', /check digit/));
  expect((await listAccounts(administration)).map(({ accountRegNo }) => accountRegNo)).toEqual(['buyer', 'seller']);
});

it('keys are of their environment, and only their digests are kept', async () => {
  const { administration, seller, databasePath } = await open();
  expect(seller.apiKey).toMatch(/^dg_test_[\w-]{43}$/);
  expect(seller.gatewayKey).not.toBe(seller.apiKey);
  const live = await addAccount({ ...administration, environment: 'production' }, { accountRegNo: 'live', name: 'L', participants: [] });
  expect(live.apiKey).toMatch(/^dg_live_/);
  const kept = keptIn(dirname(databasePath));
  expect(kept.keys()).toContain(databasePath);
  for (const [where, bytes] of kept) expect(bytes.includes(seller.apiKey.slice(8)), where).toBe(false);
});

it('participants can be added; accounts are removed only while they never had a document', async () => {
  const test = await open();
  await addParticipant(test.administration, 'buyer', '0007:5567321707');
  await addParticipant(test.administration, 'buyer', '0007:5567321707');
  expect((await listAccounts(test.administration))[0]?.participants).toEqual(['0007:5567321707', BUYER]);
  await expect(addParticipant(test.administration, 'nobody', '0007:1')).rejects.toMatchObject(refused('missing'));
  await addAccount(test.administration, { accountRegNo: 'short', name: 'S', participants: ['0007:77'] });
  await removeAccount(test.administration, 'short');
  await addAccount(test.administration, { accountRegNo: 'other', name: 'O', participants: ['0007:77'] });
  await test.call('/transaction/seller/invoices/outgoing', { body: invoice() });
  await expect(removeAccount(test.administration, 'buyer')).rejects.toMatchObject(refused('exists', /disable it instead/));
  await expect(removeAccount(test.administration, 'nobody')).rejects.toMatchObject(refused('missing'));
  await expect(rotateKey(test.administration, 'nobody', 0)).rejects.toMatchObject(refused('missing'));
});

it('partners are added once and linked to accounts that are there', async () => {
  const { administration } = await open();
  const { apiKey } = await addPartner(administration, { partnerRegNo: 'firm', name: 'Firm' });
  expect(apiKey).toMatch(/^dg_test_/);
  await expect(addPartner(administration, { partnerRegNo: 'firm', name: 'Firm' })).rejects.toMatchObject(refused('exists'));
  await linkPartner(administration, 'firm', 'seller');
  await linkPartner(administration, 'firm', 'seller');
  await expect(linkPartner(administration, 'firm', 'nobody')).rejects.toMatchObject(refused('missing'));
  await expect(linkPartner(administration, 'nobody', 'seller')).rejects.toMatchObject(refused('missing'));
});

it('a partner’s own key is not valid on a child’s path', async () => {
  const test = await open();
  const { apiKey } = await addPartner(test.administration, { partnerRegNo: 'firm', name: 'Firm' });
  await linkPartner(test.administration, 'firm', 'seller');
  expect((await test.call('/transaction/seller/invoices/incoming', { key: apiKey })).status).toBe(401);
});

it('plain HTTP where others could listen is refused, unless a proxy ends TLS', async () => {
  await expect(startTestCore({ listen: { host: '0.0.0.0', port: 0 } })).rejects.toMatchObject(
    refused('usage', /core\.tls.*127\.0\.0\.1.*behindProxy/),
  );
  const behind = await startTestCore({ listen: { host: '0.0.0.0', port: 0 }, behindProxy: ['127.0.0.1'] });
  await behind[Symbol.asyncDispose]();
});

it('listens on a unix socket, also where a killed process left one, but not where another listens', async () => {
  const socket = join(folder(), 'core.sock');
  const script = `require('net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script]);
  expect(statSync(socket).isSocket()).toBe(true);
  const test = await startTestCore({ listen: { socket } });
  expect(test.core.url).toBe(`unix:${socket}`);
  const status = await new Promise((resolve) =>
    get({ socketPath: socket, path: '/health' }, (answer) => resolve(answer.resume().statusCode)),
  );
  expect(status).toBe(200);
  await expect(startTestCore({ listen: { socket } })).rejects.toMatchObject(
    refused('locked', /listens on .*core\.sock already.*core\.listen/),
  );
  await test[Symbol.asyncDispose]();
  writeFileSync(socket, 'a file');
  await expect(startTestCore({ listen: { socket } })).rejects.toMatchObject(refused('usage', /no socket is in the way/));
  expect(readFileSync(socket, 'utf8')).toBe('a file');
});

it('an address that is taken is a sentence', async () => {
  const test = await open();
  const port = Number(new URL(test.core.url).port);
  await expect(startTestCore({ listen: { host: '127.0.0.1', port } })).rejects.toMatchObject(
    refused('locked', /listens on 127.*already.*core\.listen/),
  );
});

it('S043 speaks TLS 1.2 and later, and nothing earlier', async () => {
  const { certificate, key } = certified({ name: 'localhost', kind: 'ec' });
  const test = await coreOfTest({ tls: { cert: certificate, key } });
  expect(test.core.url).toMatch(/^https:/);
  const handshake = (version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
    new Promise((resolve) => {
      const port = Number(new URL(test.core.url).port);
      const options = {
        port,
        host: '127.0.0.1',
        rejectUnauthorized: false,
        minVersion: version,
        maxVersion: version,
        ciphers: 'DEFAULT@SECLEVEL=0',
      };
      const socket = connect(options, () => {
        resolve(socket.getProtocol());
        socket.destroy();
      }).on('error', () => resolve('refused'));
    });
  expect(await handshake('TLSv1.1')).toBe('refused');
  expect(await handshake('TLSv1.2')).toBe('TLSv1.2');
  expect(await handshake('TLSv1.3')).toBe('TLSv1.3');
});

it('closing lets a request finish', async () => {
  const test = await startTestCore();
  const answers = Array.from({ length: 20 }, (_, at) =>
    test.call('/transaction/seller/invoices/outgoing', { body: invoice({ id: `c${at}` }) }).then(
      ({ status }) => status,
      // Its connection was not taken any more.
      () => null,
    ),
  );
  await answers[0];
  await test.core.close();
  for (const status of await Promise.all(answers)) expect([200, null]).toContain(status);
});

it('closing does not wait for a connection whose answer came meanwhile, which its client would keep for a minute', async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const test = await startTestCore({
    examiner: {
      ...IN_PLACE,
      async examine(submission) {
        asked.resolve();
        await answered.promise;
        return IN_PLACE.examine(submission);
      },
    },
  });
  const answer = test.call('/transaction/seller/invoices/outgoing', { body: invoice() });
  await asked.promise;
  const begun = performance.now();
  const closed = test.core.close();
  answered.resolve();
  expect((await answer).status).toBe(200);
  await closed;
  expect(performance.now() - begun).toBeLessThan(40_000);
});

async function threadOptions(databasePath: string): Promise<CoreThreadOptions> {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    tls: null,
    behindProxy: false,
    bodyMax: 1_000_000,
    requests: 1_000,
    window: 60_000,
    outbound: { allow: false, deny: false, ca: null, dns: false },
    keepMessages: null,
    webhooks: { keepDead: 1_000 },
    network: LOCAL_NETWORK,
    environment: 'test',
    databasePath,
    databaseServer: await serverOfTest(),
    sealPath: join(dirname(databasePath), 'secret.key'),
    logSettings: { level: 'silent', form: 'json' },
    incoming: () => undefined,
    changed: () => undefined,
    turnedAway: () => undefined,
    failed: () => undefined,
  };
}

it('runs in a thread of its own, rings for what arrives, and closes', async () => {
  const databasePath = join(folder(), 'core.db');
  const options = await threadOptions(databasePath);
  const ledger = await openCoreLedger(databasePath, options.databaseServer);
  const administration = { ledger, environment: 'test', clock: systemClock, random: systemRandom } as const;
  const { apiKey } = await addAccount(administration, { accountRegNo: 'seller', name: 'S', participants: [SELLER] });
  await addAccount(administration, { accountRegNo: 'buyer', name: 'B', participants: [BUYER] });
  await ledger.close();
  const arrived = Promise.withResolvers<string>();
  let failures = 0;
  const core = await startCoreThread({
    ...options,
    incoming: (accountRegNo, family) => arrived.resolve(`${accountRegNo} ${family}`),
    failed: () => failures++,
  });
  const response = await fetch(`${core.url}/transaction/seller/invoices/outgoing`, {
    method: 'POST',
    headers: { authorization: apiKey, 'content-type': 'application/xml' },
    body: new Uint8Array(invoice()),
  });
  expect(response.status).toBe(200);
  expect(await arrived.promise).toBe('buyer Invoice');
  const asked = { method: 'GET', path: '/transaction/seller/invoices/outgoing', headers: { authorization: apiKey }, body: null };
  const pieces: Buffer[] = [];
  expect(await core.portHttp.ask(asked, () => (piece) => pieces.push(piece), 10_000)).toMatchObject({ status: 200 });
  expect(JSON.parse(Buffer.concat(pieces).toString()).data).toHaveLength(1);
  await core.close();
  await expect(core.portHttp.ask(asked, () => () => undefined, 10_000)).rejects.toThrow('the other end is gone');
  expect(failures).toBe(0);
});

it('a thread that cannot start throws what the core throws', async () => {
  const options = { ...(await threadOptions(join(folder(), 'core.db'))), listen: { host: '0.0.0.0', port: 0 } };
  await expect(startCoreThread(options)).rejects.toMatchObject(refused('usage', /Plain HTTP/));
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  await expect(startCoreThread(await threadOptions(join(file, 'core.db')))).rejects.toMatchObject({ code: 'internal' });
});

it('a thread that dies is heard of once', async () => {
  const thread = Promise.withResolvers<Worker>();
  process.once('worker', (worker) => thread.resolve(worker));
  const failed = Promise.withResolvers<unknown>();
  const core = await startCoreThread({ ...(await threadOptions(join(folder(), 'core.db'))), failed: failed.resolve });
  await (await thread.promise).terminate();
  expect(await failed.promise).toMatchObject(refused('internal', /ended with status 1/));
  await core.close();
});
