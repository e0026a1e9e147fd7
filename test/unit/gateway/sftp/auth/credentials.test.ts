// How requests to log in are checked, and answered.
import type { AuthContext } from 'ssh2';
import { expect, it } from 'vitest';
import type { Login } from '#gateway/model/account.ts';
import { checkCredential, nameKeyAsAsked } from '#gateway/sftp/auth/credentials.ts';

const LOGINS: readonly Login[] = [
  { login: 'erp', passwordHash: 'a hash', publicKeys: [], homes: [], rules: {} },
  { login: 'by-key', passwordHash: null, publicKeys: [], homes: [], rules: {} },
  {
    login: 'ended',
    passwordHash: 'a hash',
    publicKeys: [],
    homes: [],
    rules: { expires: '2020-01-31', allow: ['192.0.2.9'], methods: 'key' },
  },
];

it.each([
  ['erp', 'wrong-password', ['a hash']],
  ['nobody', 'unknown-login', [null]],
  ['by-key', 'wrong-password', [null]],
  // The rules of a login are not told to clients without its credentials.
  ['ended', 'wrong-password', ['a hash']],
])('a wrong password for %s costs one hash, like any other, and is %s', async (username, why, hashed) => {
  const hashes: (string | null)[] = [];
  // @ts-expect-error only what a request by password needs
  const context: AuthContext = { method: 'password', username, password: 'wrong' };
  const check = await checkCredential(context, {
    logins: { find: (name) => LOGINS.find(({ login }) => login === name) },
    verify: async (_password, hash) => {
      hashes.push(hash);
      return false;
    },
    sha1: false,
    client: () => ({ address: '192.0.2.1', nowMs: Date.now(), shown: new Set() }),
  });
  expect([check, hashes]).toEqual([{ is: 'invalid', counts: true, why }, hashed]);
});

it.each([
  ['sha256', 'rsa-sha2-256'],
  ['sha512', 'rsa-sha2-512'],
  [undefined, 'ssh-rsa'],
])('a question about an RSA key with %s is answered with %s (RFC 8332 §3.2)', (hashAlgo, name) => {
  const key = { algo: 'ssh-rsa', data: Buffer.alloc(0) };
  nameKeyAsAsked(hashAlgo ? { key, hashAlgo } : { key });
  expect(key.algo).toBe(name);
});
