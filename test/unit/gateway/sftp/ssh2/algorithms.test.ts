// What each profile offers.
import { expect, it } from 'vitest';
import { PROFILES } from '#gateway/sftp/ssh2/algorithms.ts';

it('compat holds nothing of SHA-1, CBC, RC4, MD5 or group exchange, and strict nothing that a quantum computer breaks', () => {
  expect(Object.values(PROFILES.compat).flat().join(' ')).not.toMatch(/sha1|cbc|arcfour|md5|group-exchange|ssh-rsa|ssh-dss|zlib/);
  expect(PROFILES.strict.kex).toEqual(['mlkem768x25519-sha256']);
  expect([...PROFILES.strict.cipher, ...PROFILES.strict.hmac].every((name) => /gcm|etm/.test(name))).toBe(true);
});
