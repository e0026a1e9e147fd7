// What one name has proved counts for no other, even if ssh2 should let a client change its name in mid-login; and nobody asks for ever.
import type { AuthContext } from 'ssh2';
import { expect, it } from 'vitest';
import type { Login } from '#gateway/model/account.ts';
import { Entrance } from '#gateway/sftp/auth/authenticator.ts';
import { openGate } from '#gateway/sftp/auth/connection-gate.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../../../support/clock.ts';
import { SFTP_SETTINGS } from '../../../../support/sftp-settings.ts';
import { until } from '../../../../support/until.ts';

const login = (name: string): Login => ({ login: name, passwordHash: name, publicKeys: [], homes: [], rules: { methods: 'both' } });

function open(): { entrance: Entrance; entered: string[]; ended: string[]; ask: (request: Partial<AuthContext>) => Promise<string> } {
  const entered: string[] = [];
  const ended: string[] = [];
  const clock = manualClock();
  const entrance = new Entrance(
    {
      logins: { find: login },
      // A password is right when it is the login's name.
      passwords: { hash: async (password) => password, verify: async (password, hash) => password === hash },
      gate: openGate(SFTP_SETTINGS, clock),
      clock,
      log: openLog('error', { write: () => {} }),
      address: '192.0.2.1',
      profile: 'compat',
      loginTries: 3,
      enter: () => ({ [Symbol.dispose]() {} }),
      entered: ({ login: name }) => void entered.push(name),
      isLeaving: () => false,
      turnAway: (answer) => answer(),
      end: (reason) => void ended.push(reason),
      tell: () => {},
    },
    'test',
  );
  const ask = (request: Partial<AuthContext>): Promise<string> =>
    new Promise((resolve) => {
      const answers = {
        once: () => {},
        accept: () => resolve('in'),
        reject: (left: string[], isPartial = false) => resolve(`${isPartial ? 'partial' : 'failure'}: ${left.join(',')}`),
      };
      // @ts-expect-error only what a request by password needs
      const context: AuthContext = { ...answers, ...request };
      void entrance.authenticate(context, []);
    });
  return { entrance, entered, ended, ask };
}

it('half of the proof for one login is nothing for another', async () => {
  const { ask, entrance, entered } = open();
  expect(await ask({ method: 'password', username: 'a', password: 'a' })).toBe('partial: publickey');
  expect([...entrance.claimant().proved]).toEqual(['password']);
  expect(await ask({ method: 'none', username: 'b' })).toBe('failure: publickey,password,keyboard-interactive');
  expect([...entrance.claimant().proved]).toEqual([]);
  expect(await ask({ method: 'none', username: 'a' })).toBe('failure: publickey,password,keyboard-interactive');
  expect(entered).toEqual([]);
});

it('a client that only asks is sent away after fifty requests, without an answer', async () => {
  const { ask, ended } = open();
  for (let request = 0; request < 50; request++) await ask({ method: 'none', username: 'a' });
  expect(ended).toEqual([]);
  void ask({ method: 'none', username: 'a' });
  await until('the end', () => ended.length > 0);
  expect(ended).toEqual(['login-requests']);
});
