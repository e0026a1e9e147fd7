// The rules for a subscription's address and its outbound authentication; each broken rule is a finding.
import { Compile } from 'typebox/compile';
import { sentencesOf } from '#contract/sentences.ts';
import { AUTH_TYPES, AUTH_VARIANTS, type Auth, type AuthType, BASIC_PASSWORD_CHARACTERS_MIN, WEBHOOK_HEADER } from '#contract/webhooks.ts';
import { fatal, refusedFor } from '#domain/document.ts';
import type { AppError } from '#domain/error.ts';
import type { Outbound } from '#runtime/outbound/outbound.ts';

/** An address that events or token requests are sent to. Throws `invalid`. */
export function checkUrl(outbound: Pick<Outbound, 'forbids'>, field: 'url' | 'tokenUrl', text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const problem = urlProblem(outbound, url);
  if (problem !== null) throw refusedFor([fatal('url', `${field} ${problem}`, `/${field}`)]);
}

function urlProblem(outbound: Pick<Outbound, 'forbids'>, url: URL | null): string | null {
  if (url?.protocol !== 'https:') return 'must be an https address.';
  if (url.username !== '' || url.password !== '') return 'must not hold user information: configure outbound authentication.';
  if (outbound.forbids(url.hostname)) return 'must not lead to an address that is not public.';
  return null;
}

/** Headers with a meaning of their own, which cannot carry a secret. */
const OURS: ReadonlySet<string> = new Set([
  ...Object.values(WEBHOOK_HEADER),
  ...['host', 'content-type', 'content-length', 'content-encoding', 'transfer-encoding', 'connection', 'keep-alive', 'te', 'trailer'],
  ...['upgrade', 'expect', 'proxy-authorization', 'proxy-connection', 'user-agent'],
]);

/** Specification, Limits: basic passwords. */
const PASSWORD_RULES: readonly (readonly [rule: string, holds: (password: string) => boolean, what: string])[] = [
  [
    'password-length',
    (password) => [...password].length >= BASIC_PASSWORD_CHARACTERS_MIN,
    `at least ${BASIC_PASSWORD_CHARACTERS_MIN} characters`,
  ],
  ['password-uppercase', (password) => /\p{Lu}/u.test(password), 'an uppercase letter'],
  ['password-lowercase', (password) => /\p{Ll}/u.test(password), 'a lowercase letter'],
  ['password-digit', (password) => /\p{Nd}/u.test(password), 'a digit'],
  ['password-special', (password) => /[^\p{L}\p{N}\s]/u.test(password), 'a special character'],
];

/** The rules beyond the schema of a variant. Throws `invalid`. */
export function checkAuth(outbound: Pick<Outbound, 'forbids'>, auth: Auth): void {
  if (auth.type === 'oauth') checkUrl(outbound, 'tokenUrl', auth.tokenUrl);
  if (auth.type === 'api_key' && OURS.has((auth.header ?? '').toLowerCase())) {
    throw refusedFor([fatal('header', `The header ${auth.header} has a meaning of its own: choose another.`, '/header')]);
  }
  if (auth.type !== 'basic') return;
  const broken = PASSWORD_RULES.filter(([, holds]) => !holds(auth.password));
  if (broken.length > 0) throw refusedFor(broken.map(([rule, , what]) => fatal(rule, `The password needs ${what}.`, '/password')));
}

const variantChecks = { oauth: Compile(AUTH_VARIANTS.oauth), api_key: Compile(AUTH_VARIANTS.api_key), basic: Compile(AUTH_VARIANTS.basic) };

/** The findings of a body by the variant that its type names. Values are not repeated: they may be secrets. */
export function shapeOfAuth(body: unknown): AppError {
  const type = typeof body === 'object' && body !== null && 'type' in body ? body.type : undefined;
  const variant = AUTH_TYPES.find((known): known is AuthType => known === type);
  if (variant === undefined) return refusedFor([fatal('type', `type must be one of ${AUTH_TYPES.join(', ')}.`, '/type')]);
  const sentences = sentencesOf(AUTH_VARIANTS[variant], variantChecks[variant].Errors(body));
  return refusedFor(sentences.map(({ keyword, pointer, sentence }) => fatal(keyword, sentence, pointer)));
}
