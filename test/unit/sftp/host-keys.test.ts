// Host keys that ssh2 has spoilt are made again.
import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { firstUsable } from '#gateway/sftp/host-keys.ts';

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
