// Who gets in, and who may stay: the last moment of a login, and what a proof is worth after a change.
import { describe, expect, test } from 'vitest';
import type { Login } from '#gateway/model/account.ts';
import { barrierOf, type Claimant, mayStay, type Proof } from '#gateway/sftp/auth/login-rules-check.ts';

const MIDNIGHT = Date.parse('2027-04-01T00:00:00Z');
const LOGIN: Login = {
  login: 'erp',
  passwordHash: 'of a password',
  publicKeys: ['key one', 'key two'],
  homes: [{ home: 'acme', folder: '' }],
  rules: { expires: '2027-03-31' },
};
const claimant = (nowMs: number, ...proved: Proof[]): Claimant => ({ address: '192.0.2.1', nowMs, proved: new Set(proved) });

test('the last day of a login ends with its last millisecond, in UTC', () => {
  expect(barrierOf(LOGIN, claimant(MIDNIGHT - 1, 'key'))).toBeUndefined();
  expect(barrierOf(LOGIN, claimant(MIDNIGHT, 'key'))).toBe('expired');
});

describe('a session that was let in', () => {
  const stays = (changes: Partial<Login>, ...proved: Proof[]): boolean =>
    mayStay(LOGIN, { ...LOGIN, ...changes }, claimant(MIDNIGHT - 1, ...proved));

  test('by a key ends when a key is taken away, and by a password when that is changed', () => {
    expect(stays({ publicKeys: ['key two'] }, 'key')).toBe(false);
    expect(stays({ publicKeys: ['key two'] }, 'password')).toBe(true);
    expect(stays({ passwordHash: 'of another' }, 'password')).toBe(false);
    expect(stays({ passwordHash: 'of another' }, 'key')).toBe(true);
    expect(stays({ publicKeys: ['key two', 'key three', 'key one'] }, 'key', 'password')).toBe(true);
  });

  test('ends when it sees nothing of what it saw, or may no longer write', () => {
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
