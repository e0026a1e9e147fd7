// check-config tries what serve will, and tells all problems in one round; doctor tells how to mend them.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { systemRandom } from '#runtime/clock.ts';
import { certified } from '../../support/certificates.ts';
import { freePort } from '../../support/free-port.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { testSite } from '../../support/site.ts';
import { makeLater } from '../../support/world/ledger-files.ts';

const ANY_PORT = 'sftp: {listen: "127.0.0.1:0"}\nadmin: {listen: off}';
const CORE = 'core: {listen: "127.0.0.1:0"}';
const DAY_MS = 86_400_000;

const site = testSite(`${ANY_PORT}\n${CORE}`);
const { at, run } = site;

async function takenPort(): Promise<number> {
  const server = createServer();
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
  expect(out).not.toContain('OK');
  const lines = err.split('\n');
  expect(lines).toContain(`problem: Another program listens on 127.0.0.1:${port} already. Stop it, or change sftp.listen.`);
  expect(lines).toContainEqual(expect.stringMatching(/^problem: Nobody can listen on 192\.0\.2\.1:2222 .* Change sftp\.moreListeners/));
  expect(lines).toContainEqual(expect.stringMatching(/^problem: The host nowhere\.invalid is not found .* Mend service\.url/));
  expect(lines).toContainEqual(expect.stringMatching(/^warning: The service at https:\/\/nowhere\.invalid does not answer/));
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

it('ledgers of a later version are refused, by check-config and by every command', async () => {
  await run('account add 1 --name One --login one');
  makeLater(at('data'));
  const later = expect.stringMatching(/was made by a later version of Dropgate \(its schema is 999/);
  expect(await run('check-config')).toMatchObject({ status: 64, err: later });
  expect(await run('login list')).toMatchObject({ status: 64, err: later });
});

it('PostgreSQL that is not there', async () => {
  site.configure(`${ANY_PORT}\n${CORE}\ndatabase: {url: "postgres://dropgate@127.0.0.1:1/dropgate"}`);
  expect(await run('check-config')).toMatchObject({
    status: 64,
    err: expect.stringMatching(/problem: The core's ledger: The database dropgate at 127\.0\.0\.1:1 \(as dropgate\) cannot be reached/),
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
