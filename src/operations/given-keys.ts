// API keys of a remote service that a declaration names the places of: whoever reads it reads them, for a daemon has another environment.
import { type Static, Type } from 'typebox';
import { AppError } from '#domain/error.ts';

const Of = { accountRegNo: Type.Optional(Type.String()), partnerRegNo: Type.Optional(Type.String()) } as const;

/** `problem`: why there is none in its place; told where the key is needed. */
export const GivenKeys = Type.Array(
  Type.Union([Type.Object({ ...Of, apiKey: Type.String() }), Type.Object({ ...Of, problem: Type.String() })]),
);
export type GivenKeys = Static<typeof GivenKeys>;

/** The key of an account or partner; undefined where no place is named. Throws `usage`. */
export function keyOf(keys: GivenKeys, of: Pick<GivenKeys[number], 'accountRegNo' | 'partnerRegNo'>): string | undefined {
  const given = keys.find((each) => each.accountRegNo === of.accountRegNo && each.partnerRegNo === of.partnerRegNo);
  if (given && 'problem' in given) throw new AppError('usage', given.problem);
  return given?.apiKey;
}
