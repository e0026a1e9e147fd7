// Host keys that ssh2 has spoilt are made again; those on disk are the owner's alone, and never replaced.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstUsable, loadHostKeys } from '#gateway/sftp/host-keys.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const spoilt = { private: '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n' };

it('takes the first key that can be read', () => {
  const made = [spoilt, spoilt];
  const key = firstUsable(() => made.pop() ?? ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }));
  expect(made).toEqual([]);
  expect(ssh2.utils.parseKey(key)).not.toBeInstanceOf(Error);
});

it('gives up when none can be', () => {
  expect(() => firstUsable(() => spoilt)).toThrow('No usable host key');
});

it('are kept for the owner only', async () => {
  await loadHostKeys(folder);
  const files = readdirSync(folder).sort();
  expect(files).toEqual(['ssh_host_ecdsa_key', 'ssh_host_ed25519_key']);
  for (const file of files) expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
});

it('that everybody can read are refused, with what to do', async () => {
  await loadHostKeys(folder);
  chmodSync(join(folder, 'ssh_host_ed25519_key'), 0o644);
  await expect(loadHostKeys(folder)).rejects.toThrow(/can be read by everybody: chmod 600 .*ssh_host_ed25519_key/);
});

it('that cannot be read are not replaced: clients would take the server for another', async () => {
  const path = join(folder, 'ssh_host_ed25519_key');
  writeFileSync(path, 'half a key', { mode: 0o600 });
  await expect(loadHostKeys(folder)).rejects.toThrow('cannot be read. Restore it, or move it away');
  expect(readFileSync(path, 'utf8')).toBe('half a key');
});
