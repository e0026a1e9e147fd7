// The form in which accounts, partners and logins are declared in a file: what `dropgate export` prints and `dropgate apply` reads.
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse, stringify } from 'yaml';
import { AppError } from '#domain/error.ts';
import { PROFILE_POLICIES, SEVERITIES } from '#domain/validation.ts';
import { LoginRules } from '#gateway/accounts/login-rules.ts';

const strict = { additionalProperties: false };

const Switches = Type.Object({ apiIntegration: Type.Boolean(), sftpIntegration: Type.Boolean(), capture: Type.Boolean() });
const Features = Type.Partial(Switches, strict);
const Validation = Type.Partial(
  Type.Object({
    severity: Type.Enum(SEVERITIES),
    profiles: Type.Enum(PROFILE_POLICIES),
  }),
  strict,
);
const Account = Type.Object(
  {
    accountRegNo: Type.String(),
    name: Type.String(),
    participants: Type.Optional(Type.Array(Type.String())),
    features: Type.Optional(Features),
    requests: Type.Optional(Type.Integer({ minimum: 1 })),
    validation: Type.Optional(Validation),
  },
  strict,
);
const Child = Type.Object(
  { accountRegNo: Type.String(), folder: Type.Optional(Type.String()), participants: Type.Optional(Type.Array(Type.String())) },
  strict,
);
const Partner = Type.Object(
  {
    partnerRegNo: Type.String(),
    /** A core beside the gateway wants it. */
    name: Type.Optional(Type.String()),
    /** One home for all its children. */
    consolidated: Type.Optional(Type.Boolean()),
    /** The login that sees its children. */
    login: Type.Optional(Type.String()),
    /** Its children, by number alone where nothing else is to be said. */
    accounts: Type.Optional(Type.Array(Type.Union([Type.String(), Child]))),
  },
  strict,
);
const Home = Type.Object({ accountRegNo: Type.String(), folder: Type.Optional(Type.String()) }, strict);
const Login = Type.Object(
  {
    login: Type.String(),
    passwordHash: Type.Optional(Type.String()),
    publicKeys: Type.Optional(Type.Array(Type.String())),
    homes: Type.Optional(Type.Array(Home)),
    rules: Type.Optional(LoginRules),
  },
  strict,
);
const Declaration = Type.Object(
  {
    accounts: Type.Optional(Type.Array(Account)),
    partners: Type.Optional(Type.Array(Partner)),
    logins: Type.Optional(Type.Array(Login)),
  },
  strict,
);
export type Declaration = Static<typeof Declaration>;

const checker = Compile(Declaration);

/** Throws `usage` with every place that is wrong; `source` is the file's name. */
export function parseDeclaration(text: string, source: string): Declaration {
  const value = parsed(text, source) ?? {};
  if (checker.Check(value)) return value;
  const problems = checker.Errors(value).filter(({ message }) => message !== 'schema is false');
  const told = problems.map(({ instancePath, message, params }) => {
    const where = instancePath || 'the file';
    return `\n  ${where} ${'additionalProperties' in params ? `holds what is not known: ${params.additionalProperties}` : message}`;
  });
  throw new AppError('usage', `${source} cannot be applied:${told.join('')}`);
}

export function printDeclaration(declaration: Declaration): string {
  return stringify(declaration, { lineWidth: 0 });
}

function parsed(text: string, source: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new AppError('usage', `${source} is no YAML: ${error instanceof Error ? error.message : 'it cannot be read'}`, { cause: error });
  }
}
