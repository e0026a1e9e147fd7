// Which cipher a connection gets: OpenSSH's client prefers AES-CTR to AES-GCM, we do not.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connect, have, openSsh } from '../../../support/sftp-clients.ts';
import { startTestServer, type TestServer } from '../../../support/sftp-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server[Symbol.asyncDispose]());

async function ciphersOf(options: readonly string[]): Promise<string[]> {
  const { status, err } = await openSsh(server, ['ls'], ['-v', ...options.flatMap((option) => ['-o', option])]);
  expect(status, err).toBe(0);
  return [...err.matchAll(/kex: \S+ cipher: (\S+)/g)].map(([, cipher]) => cipher ?? '');
}

it.runIf(have('sftp')).each([
  ['takes AES-GCM with its own order', [], 'aes128-gcm@openssh.com'],
  ['takes AES-GCM however late it comes', ['Ciphers=aes256-ctr,aes128-ctr,aes256-gcm@openssh.com'], 'aes256-gcm@openssh.com'],
  ['without AES-GCM takes what it has', ['Ciphers=aes256-ctr'], 'aes256-ctr'],
  ['with another exchange does, too', ['KexAlgorithms=ecdh-sha2-nistp256'], 'aes128-gcm@openssh.com'],
])('OpenSSH %s', async (_, options, cipher) => {
  expect(await ciphersOf(options)).toEqual([cipher, cipher]);
});

it('another client is asked nothing, and gets what it prefers', async () => {
  let used: string | undefined;
  const client = await connect(server, {
    algorithms: { cipher: ['aes128-ctr', 'aes128-gcm@openssh.com'] },
    debug: (line) => {
      used = /^Handshake: C->S Cipher: (\S+)$/.exec(line)?.[1] ?? used;
    },
  });
  client.end();
  expect(used).toBe('aes128-ctr');
});
