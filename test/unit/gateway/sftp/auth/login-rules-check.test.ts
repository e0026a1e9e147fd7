// The rules of a login: its last moment, and which sessions end when a login changes.
import { describe, expect, it } from 'vitest';
import type { Login } from '#gateway/model/account.ts';
import { brokenRule, type Client, type Credential, mayGoOn } from '#gateway/sftp/auth/login-rules-check.ts';

const MIDNIGHT = Date.parse('2027-04-01T00:00:00Z');
const LOGIN: Login = {
  login: 'erp',
  passwordHash: 'of a password',
  publicKeys: ['key one', 'key two'],
  homes: [{ home: 'acme', folder: '' }],
  rules: { expires: '2027-03-31' },
};
const client = (nowMs: number, ...shown: Credential[]): Client => ({ address: '192.0.2.1', nowMs, shown: new Set(shown) });

it('the last day of a login ends with its last millisecond, in UTC', () => {
  expect(brokenRule(LOGIN, client(MIDNIGHT - 1, 'key'))).toBeUndefined();
  expect(brokenRule(LOGIN, client(MIDNIGHT, 'key'))).toBe('expired');
});

describe('a session that has begun', () => {
  const stays = (changes: Partial<Login>, ...shown: Credential[]): boolean =>
    mayGoOn(LOGIN, { ...LOGIN, ...changes }, client(MIDNIGHT - 1, ...shown));

  it('by a key ends when a key is taken away, and by a password when that is changed', () => {
    expect(stays({ publicKeys: ['key two'] }, 'key')).toBe(false);
    expect(stays({ publicKeys: ['key two'] }, 'password')).toBe(true);
    expect(stays({ passwordHash: 'of another' }, 'password')).toBe(false);
    expect(stays({ passwordHash: 'of another' }, 'key')).toBe(true);
    expect(stays({ publicKeys: ['key two', 'key three', 'key one'] }, 'key', 'password')).toBe(true);
  });

  it('ends when it sees nothing of what it saw, or may no longer write', () => {
    expect(stays({ homes: [{ home: 'beta', folder: '' }] }, 'key')).toBe(false);
    expect(
      stays(
        {
          homes: [
            { home: 'beta', folder: 'beta' },
            { home: 'acme', folder: '' },
          ],
        },
        'key',
      ),
    ).toBe(true);
    expect(stays({ rules: { ...LOGIN.rules, readOnly: true } }, 'key')).toBe(false);
  });
});
