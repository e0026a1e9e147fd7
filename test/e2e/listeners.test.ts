// Several listeners of a real daemon: each is there, the proxy's too, and `health` asks all of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { freePort } from '../support/free-port.ts';
import { connect } from '../support/sftp-clients.ts';

let daemon: TestDaemon;
let ports: number[];

beforeAll(async () => {
  ports = [await freePort(), await freePort(), await freePort()];
  const [first, legacy, proxied] = ports.map((port) => `127.0.0.1:${port}`);
  const moreListeners = [
    { listen: legacy, profile: 'legacy', legacyUntil: '2099-12-31' },
    { listen: proxied, proxies: ['127.0.0.1'] },
  ];
  daemon = await startDaemon({
    accounts: [{ accountRegNo: 'seller', participants: [], login: 'erp' }],
    config: { sftp: { listen: first, moreListeners }, core: { listen: `127.0.0.1:${await freePort()}` } },
  });
});
afterAll(() => daemon[Symbol.asyncDispose]());

it('all of them listen, each with its profile', async () => {
  expect(daemon.facts().findLast(({ event }) => event === 'daemon.ready')).toMatchObject({ sftpPort: ports[0], sftpPorts: ports });
  const old = { algorithms: { kex: ['diffie-hellman-group14-sha1' as const] } };
  (await connect({ port: ports[1] ?? 0, knownHosts: '' }, old)).end();
  await expect(connect({ port: ports[0] ?? 0, knownHosts: '' }, old)).rejects.toThrow('no matching key exchange');
  await expect(connect({ port: ports[2] ?? 0, knownHosts: '' })).rejects.toThrow();
});

it('health asks all of them, also behind a proxy of this machine', async () => {
  expect(await daemon.cli(['health'])).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^The daemon answers: SFTP on \S+, SFTP on /),
  });
});

it('host-key list tells the keys of each', async () => {
  const { out } = await daemon.cli(['host-key', 'list', '--json']);
  const told = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).knownHosts.split(' ').slice(0, 2).join(' '));
  const of = (port: number | undefined, types: readonly string[]): string[] => types.map((type) => `[127.0.0.1]:${port} ${type}`);
  const usual = ['ssh-ed25519', 'ecdsa-sha2-nistp256'];
  expect(told).toEqual([...of(ports[0], usual), ...of(ports[1], [...usual, 'ssh-rsa']), ...of(ports[2], usual)]);
});

it('a connection kit for a port tells the keys of its listener', async () => {
  const out = join(daemon.folder, 'kit');
  expect(await daemon.cli(['connection-kit', 'erp', '--port', String(ports[1]), '--out', out])).toMatchObject({ status: 0 });
  const types = readFileSync(join(out, 'known_hosts'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[1]);
  expect(types).toEqual(['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ssh-rsa']);
});
