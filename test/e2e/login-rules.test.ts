// The rules of a login against a real daemon: a command changes them, and whoever is connected feels it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type ssh2 from 'ssh2';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { OPEN_FLAG } from '#gateway/sftp/protocol/requests.ts';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { called, connect, openSftp } from '../support/sftp-clients.ts';
import { RawSftp } from '../support/sftp-raw.ts';
import { until } from '../support/until.ts';

const NO_RULES =
  '--allow any --methods any --expires never --sessions default --access full --home-bytes unlimited --home-files unlimited --charset auto';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
});
afterAll(() => daemon[Symbol.asyncDispose]());
beforeEach(() => change(NO_RULES));

async function change(options: string): Promise<void> {
  const before = changes();
  expect(await daemon.cli(['login', 'change', 'erp', ...options.split(' ')])).toMatchObject({ status: 0 });
  await until('the daemon to notice', () => changes() > before);
}
const changes = (): number => daemon.facts().filter(({ event }) => event === 'accounts.changed').length;
const put = async (name: string, content: string): Promise<string> => {
  const client = await connect(daemon);
  try {
    const sftp = await openSftp(client);
    await called((done: ssh2.Callback) => sftp.writeFile(`/inbox/${name}`, content, done));
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    client.end();
  }
};

it.each(['--access read-only', '--allow 192.0.2.0/24', '--expires 2020-01-31'])('%s ends a session under way', async (options) => {
  const client = await connect(daemon);
  const ended = new Promise<void>((resolve) => client.once('close', () => resolve()));
  await change(options);
  await ended;
  expect(daemon.facts().findLast(({ event }) => event === 'sftp.cut')).toMatchObject({ reason: 'login-changed' });
});

it('a quota is felt by a session under way, and deleting makes room', async () => {
  const client = await connect(daemon);
  const sftp = await openSftp(client);
  const write = (name: string): Promise<void> => called((done) => sftp.writeFile(`/inbox/${name}`, 'x', done));
  await write('before.xml');
  const held = (): number => daemon.files('seller', 'receipts').length + daemon.files('seller', 'refused').length;
  await until('its receipt, and the file in refused/', () => held() === 2);
  await change('--home-files 2');
  await expect(write('after.xml')).rejects.toThrow('the home is full: 2 of 2 files; delete what you have taken');
  for (const folder of ['receipts', 'refused']) {
    for (const name of daemon.files('seller', folder)) await called((done) => sftp.unlink(`/${folder}/${name}`, done));
  }
  await write('after.xml');
  client.end();
});

it('a quota of bytes counts what others put into the outbox', async () => {
  writeFileSync(join(daemon.home('seller', 'outbox'), 'large.xml'), 'x'.repeat(100_000));
  await change('--home-bytes 100KB');
  // An earlier measurement is believed for a moment while there is room by it.
  const full = await until('the quota to be felt', async () => [await put('small.xml', 'x')].find((end) => end !== 'taken'));
  // It is felt when the file is opened, or at its first byte, which the sentence names.
  expect(full).toMatch(/^the home is full: \d+ of 100000 bytes(, and this file has 1)?; delete/);
});

it('a charset decides how receipts spell the name', async () => {
  await change('--charset iso-8859-2');
  const client = await connect(daemon);
  const raw = await RawSftp.open(client);
  const handle = await raw.openFile('/inbox/\xb1\xe6.xml', OPEN_FLAG.write | OPEN_FLAG.create | OPEN_FLAG.truncate);
  await raw.write(handle, 0, 'x');
  expect(await raw.close(handle)).toMatchObject({ code: 0 });
  await until('the receipt', () => daemon.files('seller', 'receipts').some((each) => each.startsWith('ąć.xml.')));
  client.end();
});
