// The credentials of one login count for no other, even if ssh2 should let a client change its name during the login; and requests are limited.
import type { AuthContext } from 'ssh2';
import { expect, it } from 'vitest';
import type { Login } from '#gateway/model/account.ts';
import { Authenticator } from '#gateway/sftp/auth/authenticator.ts';
import { openConnectionLimits } from '#gateway/sftp/auth/connection-limits.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../../../support/clock.ts';
import { SFTP_SETTINGS } from '../../../../support/sftp-settings.ts';
import { until } from '../../../../support/until.ts';

const login = (name: string): Login => ({ login: name, passwordHash: name, publicKeys: [], homes: [], rules: { methods: 'both' } });

function open(): {
  authenticator: Authenticator;
  loggedIn: string[];
  ended: string[];
  ask: (request: Partial<AuthContext>) => Promise<string>;
} {
  const loggedIn: string[] = [];
  const ended: string[] = [];
  const clock = manualClock();
  const authenticator = new Authenticator({
    logins: { find: login },
    // A password is right when it is the login's name.
    passwords: { hash: async (password) => password, verify: async (password, hash) => password === hash },
    limits: openConnectionLimits(SFTP_SETTINGS, clock),
    clock,
    log: openLog('error', { write: () => {} }),
    address: '192.0.2.1',
    software: 'test',
    profile: 'compat',
    loginTries: 3,
    loggedIn: ({ login: name }) => void loggedIn.push(name),
    isLeaving: () => false,
    disconnect: (answer) => answer(),
    cut: (reason) => void ended.push(reason),
    showBanner: () => {},
  });
  const ask = (request: Partial<AuthContext>): Promise<string> =>
    new Promise((resolve) => {
      const answers = {
        once: () => {},
        accept: () => resolve('in'),
        reject: (left: string[], isPartial = false) => resolve(`${isPartial ? 'partial' : 'failure'}: ${left.join(',')}`),
      };
      // @ts-expect-error only what a request by password needs
      const context: AuthContext = { ...answers, ...request };
      void authenticator.authenticate(context, []);
    });
  return { authenticator, loggedIn, ended, ask };
}

it('one of two credentials of a login counts for no other login', async () => {
  const { ask, authenticator, loggedIn } = open();
  expect(await ask({ method: 'password', username: 'a', password: 'a' })).toBe('partial: publickey');
  expect([...authenticator.client().shown]).toEqual(['password']);
  expect(await ask({ method: 'none', username: 'b' })).toBe('failure: publickey,password,keyboard-interactive');
  expect([...authenticator.client().shown]).toEqual([]);
  expect(await ask({ method: 'none', username: 'a' })).toBe('failure: publickey,password,keyboard-interactive');
  expect(loggedIn).toEqual([]);
});

it('a client that only asks is cut after fifty requests, without an answer', async () => {
  const { ask, ended } = open();
  for (let request = 0; request < 50; request++) await ask({ method: 'none', username: 'a' });
  expect(ended).toEqual([]);
  void ask({ method: 'none', username: 'a' });
  await until('the end', () => ended.length > 0);
  expect(ended).toEqual(['login-requests']);
});
