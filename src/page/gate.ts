// The gate of the page: who logs in, whose a request is. Guessing is slowed down as at SFTP: passwords are verified one at a time for an address,
// which is banned for a time after a few failed ones; an operator that is not there takes as long as a wrong password.
import { unstorable } from '#domain/json.ts';
import { type OperatorRow, readOperator } from '#gateway/ledger/operators.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import { endSessions } from '#gateway/operate/operators.ts';
import { isCodeLost, passesTotp } from '#gateway/operate/second-factor.ts';
import { openPasswords } from '#runtime/auth/password.ts';
import { type AddTogether, openSlowGuessing } from '#runtime/auth/slow-guessing.ts';
import { systemRandom } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { claimedOperator, formToken, openedSession, renewed, type Session, sealedSession } from './session.ts';

export interface Known {
  readonly row: OperatorRow;
  readonly session: Session;
  /** What forms of this session carry. */
  readonly token: string;
  /** A cookie that takes the place of the one that came; undefined while that is fine. */
  readonly cookie?: string;
}

/** `code-lost`: the password is right, and the key file of the code was lost. */
export type Failed = 'wrong' | 'banned' | 'code-lost';
type Login = { readonly cookie: string } | { readonly failed: Failed };

const NAME_CHARACTERS_MAX = 64;

/** What was said to log in. */
interface Given {
  readonly operator: string;
  readonly password: string;
  readonly code: string;
}

export interface Gate {
  /** By operator, password, and the code where one is asked; null is none. */
  verified(address: string, operator: string, password: string, code: string | null): Promise<OperatorRow | Failed>;
  login(address: string, given: Given): Promise<Login>;
  /** Undefined for a cookie that opens nothing. */
  known(cookie: string): Promise<Known | undefined>;
  /** Ends all sessions of the operator. */
  logout(operator: string): Promise<void>;
}

/** `key`: for nothing but sessions. `addTogether`: where nodes count penalties together. */
export function openGate(on: Administration, key: Uint8Array, log: Log, addTogether?: AddTogether): Gate {
  const { clock } = on;
  const passwords = openPasswords(systemRandom);
  const guessing = openSlowGuessing(
    () => false,
    clock,
    (banned) => log.warn({ event: 'admin.banned', address: banned }),
    addTogether,
  );

  /** No ledger is asked for a name that none keeps. */
  const find = async (operator: string) => (unstorable(operator) === undefined ? readOperator(on.ledger.read, operator) : undefined);

  async function verified(address: string, operator: string, password: string, code: string | null): ReturnType<Gate['verified']> {
    if (guessing.isBanned(address)) return 'banned';
    const row = await find(operator);
    let failed: Failed = 'wrong';
    const isRight = await guessing.verifyInTurn(address, async () => {
      const isPassword = await passwords.verify(password, row?.passwordHash ?? null);
      if (!isPassword || row === undefined) return false;
      if (code !== null && !row.disabled && isCodeLost(on, row)) failed = 'code-lost';
      return row.totpSalt === null || (code !== null && passesTotp(on, row, code));
    });
    // The hash took its time: what holds is the operator as it is now.
    const now = isRight ? await find(operator) : undefined;
    if (now && !now.disabled && now.passwordHash === row?.passwordHash && now.totpSalt === row.totpSalt) return now;
    if (guessing.isBanned(address)) return 'banned';
    log.warn({
      event: failed === 'wrong' ? 'admin.login-failed' : 'admin.code-lost',
      operator: operator.slice(0, NAME_CHARACTERS_MAX),
      address,
    });
    guessing.punish(address, 'failed-login');
    return failed;
  }

  return {
    verified,
    async login(address, { operator, password, code }) {
      const row = await verified(address, operator, password, code);
      if (typeof row === 'string') return { failed: row };
      log.info({ event: 'admin.login', operator: row.operator, address });
      const now = clock.now();
      return { cookie: sealedSession(key, { operator: row.operator, loggedInMs: now, seenMs: now }, row.stamp) };
    },
    async known(cookie) {
      const row = await find(claimedOperator(cookie));
      const session = row && openedSession(key, cookie, row, clock.now());
      if (!row || !session) return undefined;
      const later = renewed(session, clock.now());
      return { row, session, token: formToken(key, session, row.stamp), ...(later && { cookie: sealedSession(key, later, row.stamp) }) };
    },
    logout: (operator) => endSessions(on, operator),
  };
}
