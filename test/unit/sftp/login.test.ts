import { expect, it } from 'vitest';
import { nameKeyAsAsked } from '#gateway/sftp/login.ts';

it.each([
  ['sha256', 'rsa-sha2-256'],
  ['sha512', 'rsa-sha2-512'],
  [undefined, 'ssh-rsa'],
])('a question about an RSA key with %s is answered with %s (RFC 8332 §3.2)', (hashAlgo, name) => {
  const key = { algo: 'ssh-rsa', data: Buffer.alloc(0) };
  nameKeyAsAsked(hashAlgo ? { key, hashAlgo } : { key });
  expect(key.algo).toBe(name);
});
