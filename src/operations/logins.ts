// Operations on logins: SFTP users, what they prove themselves with, which homes they see, and their rules.
import { type Static, Type } from 'typebox';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { readLastLogins, readLastPickups } from '#gateway/ledger/last-uses.ts';
import { type LoginRow, readLoginNames, readLogins } from '#gateway/ledger/logins.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { changedRules, LoginRules } from '#gateway/model/login-rules.ts';
import { changeRules, existingLogin, removeLogin, setLoginEnabled } from '#gateway/operate/logins.ts';
import { changesOf, Listed, Moment, MomentOrNull } from './forms.ts';
import { gatewayOf } from './installation.ts';
import { loginHere } from './known.ts';
import { operation } from './operation.ts';

const Login = Type.Object({
  login: Type.String(),
  state: Type.Enum(['active', 'disabled']),
  hasPassword: Type.Boolean(),
  publicKeys: Type.Array(Type.String()),
  homes: Type.Array(Type.Object({ home: Type.String(), folder: Type.String() })),
  rules: LoginRules,
  lastLogin: Type.Union([Type.Object({ at: Moment, address: Type.String() }), Type.Null()]),
  /** When it last downloaded a document from an outbox to its end. */
  lastPickupAt: MomentOrNull,
});
const Named = Type.Object({ login: Type.String() });

/** Of all logins, or of these. */
async function readUses({ read }: Ledger, names?: readonly string[]) {
  const [logins, pickups] = await Promise.all([readLastLogins(read, names), readLastPickups(read, 'login', names)]);
  return { logins: new Map(logins.map((last) => [last.login, last])), pickups };
}

type Uses = Awaited<ReturnType<typeof readUses>>;

function factsOf({ login, disabled, passwordHash, publicKeys, homes, rules }: LoginRow, uses: Uses): Static<typeof Login> {
  const last = uses.logins.get(login);
  return {
    login,
    state: disabled ? 'disabled' : 'active',
    hasPassword: passwordHash !== null,
    publicKeys: [...publicKeys],
    homes: [...homes],
    rules,
    lastLogin: last ? { at: isoTime(last.atMs), address: last.address } : null,
    lastPickupAt: isoTime(uses.pickups.get(login) ?? null),
  };
}

export const list = operation(Listed, Type.Array(Login), async (on, { page }) => {
  const { ledger } = gatewayOf(on);
  const only = page && (await readLoginNames(ledger.read, page));
  const [logins, uses] = await Promise.all([readLogins(ledger.read, only), readUses(ledger, only)]);
  return logins.map((row) => factsOf(row, uses));
});

export const show = operation(Named, Login, async (on, { login }) => {
  const { ledger } = gatewayOf(on);
  return factsOf(await existingLogin(ledger.read, login), await readUses(ledger, [login]));
});

const switched = (enabled: boolean) =>
  operation(Named, Named, async (on, { login }) => {
    await setLoginEnabled(gatewayOf(on), login, enabled);
    return { login };
  });
export const disable = switched(false);
export const enable = switched(true);

export const remove = operation(Named, Named, async (on, { login }) => {
  await removeLogin(gatewayOf(on), login);
  return { login };
});

export const set = operation(Type.Object({ login: Type.String(), rules: changesOf(LoginRules) }), Named, async (on, { login, rules }) => {
  if (Object.keys(rules).length === 0) throw new AppError('usage', "Say what to change: 'dropgate login set --help' shows all.");
  const there = await loginHere(on, login);
  if (there) mustBeUsable(login, { ...there, rules: changedRules(there.rules, rules) });
  const { reconciliation } = rules;
  if (there && reconciliation && !there.homes.some(({ home }) => home === reconciliation)) {
    throw new AppError(
      'usage',
      `Login ${login} does not see ${reconciliation}: name one of ${there.homes.map(({ home }) => home).join(', ')}.`,
    );
  }
  await changeRules(gatewayOf(on), login, rules);
  return { login };
});

/** A login that has not what its rules ask for could never get in. Throws `usage`. */
export function mustBeUsable(
  name: string,
  { passwordHash, publicKeys, rules }: Pick<LoginRow, 'passwordHash' | 'publicKeys' | 'rules'>,
): void {
  const { methods } = rules;
  if (methods !== undefined && methods !== 'key' && passwordHash === null) {
    throw new AppError('usage', `Login ${name} needs a password for that: 'dropgate login set-password ${name}' sets one.`);
  }
  if (methods !== undefined && methods !== 'password' && publicKeys.length === 0) {
    throw new AppError(
      'usage',
      `Login ${name} needs a key for that: --public-key, or 'dropgate login add-key ${name} FILE', gives it one.`,
    );
  }
}
