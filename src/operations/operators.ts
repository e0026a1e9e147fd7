// Operations on operators: who may log in to the page of the admin listener, and what each may do there.
import { hostname } from 'node:os';
import { type Static, Type } from 'typebox';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { type OperatorRow, readOperators } from '#gateway/ledger/operators.ts';
import { OPERATOR_ROLES } from '#gateway/model/operator.ts';
import { addOperator, removeOperator, setOperatorEnabled, setOperatorPassword, setOperatorRole } from '#gateway/operate/operators.ts';
import { clearTotp, isCodeLost, setTotp } from '#gateway/operate/second-factor.ts';
import { PROOFS, proofsOf } from './credentials.ts';
import { Moment } from './forms.ts';
import { gatewayOf } from './installation.ts';
import { operation } from './operation.ts';

const Role = Type.Enum(OPERATOR_ROLES);
const Named = Type.Object({ operator: Type.String() });
const Shown = Type.Object({
  operator: Type.String(),
  /** One that was made up. */
  password: Type.Optional(Type.String()),
});

export const add = operation(
  Type.Object({ operator: Type.String(), role: Role, password: PROOFS.password }),
  Shown,
  async (on, { operator, role, ...given }) => {
    const { passwordHash, shown } = await passwordOf(given);
    await addOperator(gatewayOf(on), operator, role, passwordHash);
    return { operator, ...shown };
  },
);

const Listed = Type.Object({
  operator: Type.String(),
  role: Role,
  state: Type.Enum(['active', 'disabled']),
  addedAt: Moment,
  totp: Type.Boolean(),
  /** The key file was lost by which codes are made: none opens. */
  isCodeLost: Type.Boolean(),
});

export const list = operation(Type.Object({}), Type.Array(Listed), async (on) => {
  const gateway = gatewayOf(on);
  return (await readOperators(gateway.ledger.read)).map((row) => ({ ...factsOf(row), isCodeLost: isCodeLost(gateway, row) }));
});

function factsOf({ operator, role, disabled, createdAt, totpSalt }: OperatorRow): Omit<Static<typeof Listed>, 'isCodeLost'> {
  return { operator, role, state: disabled ? 'disabled' : 'active', addedAt: isoTime(createdAt), totp: totpSalt !== null };
}

export const set = operation(
  Type.Object({
    operator: Type.String(),
    role: Type.Optional(Role),
    /** Whether a code by time is asked beside the password; true makes a new secret, also where there was one. */
    totp: Type.Optional(Type.Boolean()),
  }),
  Type.Object({
    operator: Type.String(),
    /** What an authenticator reads: it holds the new secret. */
    secret: Type.Optional(Type.String()),
  }),
  async (on, { operator, role, totp }) => {
    if (role === undefined && totp === undefined) throw new AppError('usage', 'Say what to change: --role, --totp or --no-totp.');
    if (role !== undefined) await setOperatorRole(gatewayOf(on), operator, role);
    if (totp === false) await clearTotp(gatewayOf(on), operator);
    return { operator, ...(totp === true && { secret: await setTotp(gatewayOf(on), operator, hostname()) }) };
  },
);

export const setPassword = operation(
  Type.Object({ operator: Type.String(), password: PROOFS.password }),
  Shown,
  async (on, { operator, ...given }) => {
    const { passwordHash, shown } = await passwordOf(given);
    await setOperatorPassword(gatewayOf(on), operator, passwordHash);
    return { operator, ...shown };
  },
);

const switched = (enabled: boolean) =>
  operation(Named, Named, async (on, { operator }) => {
    await setOperatorEnabled(gatewayOf(on), operator, enabled);
    return { operator };
  });
export const disable = switched(false);
export const enable = switched(true);

export const remove = operation(Named, Named, async (on, { operator }) => {
  await removeOperator(gatewayOf(on), operator);
  return { operator };
});

async function passwordOf(given: { readonly password?: string }) {
  const { passwordHash, shown } = await proofsOf(given);
  if (passwordHash === null) throw new AppError('internal', 'There is no password to set.');
  return { passwordHash, shown };
}
