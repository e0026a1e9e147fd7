// A move to another machine, as the manual says: the daemon stops, its data folder is packed and unpacked, and it goes on where it was.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { authority } from '../support/authority.ts';
import { SELLER_AND_BUYER, startDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { startReceiver } from '../support/receiver.ts';
import { openSsh, run } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

it('keeps API keys, logins, host keys, documents, and subscriptions to webhooks with their secrets and what they wait for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-move-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'ca.pem'), authority().ca);
  writeFileSync(join(folder, 'invoice.xml'), invoice({ id: 'before' }));
  let isThere = false;
  const later = { status: 429, headers: { 'retry-after': '15' } };
  await using receiver = await startReceiver(() => (isThere ? { status: 204 } : later));
  await using daemon = await startDaemon({
    accounts: SELLER_AND_BUYER,
    config: { outbound: { allow: ['127.0.0.0/8'], ca: { file: join(folder, 'ca.pem') } } },
  });
  const call = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${daemon.coreUrl}/account/buyer/webhook/${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `ApiKey ${daemon.apiKey('buyer')}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const configured = await call('PUT', 'configure', { url: receiver.url, types: ['new_document'] });
  const { id } = JSON.parse(await configured.text());
  expect((await call('POST', `${id}/auth`, { type: 'api_key', value: 'k3y of many words' })).status).toBe(200);
  const put = (name: string) => openSsh({ ...daemon, login: 'erp' }, [`put ${join(folder, 'invoice.xml')} inbox/${name}`]);
  expect(await put('before.xml')).toMatchObject({ status: 0 });
  await daemon.receipt('seller', 'before.xml', 'accepted');
  await until('a try that fails', () => receiver.hits.length > 0);

  await daemon.stop();
  const archive = join(folder, 'dropgate.tar');
  expect(await run('tar', ['-C', daemon.folder, '-cpf', archive, 'data'])).toMatchObject({ status: 0 });
  rmSync(daemon.data, { recursive: true });
  expect(await run('tar', ['-C', daemon.folder, '-xpf', archive])).toMatchObject({ status: 0 });
  isThere = true;
  const tries = receiver.hits.length;
  await daemon.start();

  await until('the event that waited', () => receiver.hits.length > tries);
  expect(new Set(receiver.hits.map(({ headers }) => `${headers['x-api-key']} ${headers['webhook-id']}`)).size).toBe(1);
  expect(receiver.hits[0]?.headers['x-api-key']).toBe('k3y of many words');
  expect(await (await call('GET', 'configure')).json()).toMatchObject({ id, url: receiver.url, types: ['new_document'], enabled: true });
  expect(await put('again.xml')).toMatchObject({ status: 0 });
  expect((await daemon.receipt('seller', 'again.xml', 'duplicate')).message).toContain('before');
});
