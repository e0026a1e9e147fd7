// What the rules of a login say of a client that has shown its credentials: whether it may log in, and whether its session may go on.
import type { AuthenticationType } from 'ssh2';
import type { Login } from '#gateway/model/account.ts';
import type { LoginHome } from '#gateway/model/layout.ts';
import { expiryMs, mayComeFrom } from '#gateway/model/login-rules.ts';
import type { LoginFailure } from './login-failures.ts';

/** What a client can show for a login. */
export type Credential = 'key' | 'password';

/** Where a client connects from, when, and which valid credentials it has shown. */
export interface Client {
  readonly address: string;
  readonly nowMs: number;
  readonly shown: ReadonlySet<Credential>;
}

const CREDENTIAL_OF: Readonly<Partial<Record<AuthenticationType, Credential>>> = {
  publickey: 'key',
  password: 'password',
  'keyboard-interactive': 'password',
};

/** The same for every login, and sent with every refusal: some clients give up after a refusal without methods. */
const METHODS: AuthenticationType[] = ['publickey', 'password', 'keyboard-interactive'];

/** The methods that the client may still use: those of credentials that it has not shown (RFC 4252 §5.1). */
export function methodsLeft(shown: ReadonlySet<Credential>): AuthenticationType[] {
  return METHODS.filter((method) => {
    const credential = CREDENTIAL_OF[method];
    return credential === undefined || !shown.has(credential);
  });
}

/** The rule that keeps the client out; 'half' when the login needs the other credential, too. */
export function brokenRule({ rules }: Login, { address, nowMs, shown }: Client): LoginFailure | undefined {
  if (!mayComeFrom(rules, address)) return 'address';
  if (nowMs >= expiryMs(rules)) return 'expired';
  if (rules.methods === 'both') return shown.size < 2 ? 'half' : undefined;
  return rules.methods !== undefined && !shown.has(rules.methods) ? 'method-rule' : undefined;
}

/**
 * Whether a session that began with the login `then` may go on with the login as it is `now`. Some of its homes may go, but not all. A
 * session that may no longer write ends, since it could leave half a file.
 */
export function mayGoOn(then: Login, now: Login | undefined, client: Client): boolean {
  if (now === undefined || brokenRule(now, client) !== undefined || !areValidStill(then, now, client)) return false;
  const isKept = ({ home, folder }: LoginHome): boolean => now.homes.some((each) => each.home === home && each.folder === folder);
  const keepsHome = then.homes.length === 0 || then.homes.some(isKept);
  return keepsHome && (then.rules.readOnly === true || now.rules.readOnly !== true);
}

/** A password that was changed, and a key that was removed, are valid no more. */
function areValidStill(then: Login, now: Login, { shown }: Client): boolean {
  const hasKeys = then.publicKeys.every((key) => now.publicKeys.includes(key));
  return (!shown.has('password') || then.passwordHash === now.passwordHash) && (!shown.has('key') || hasKeys);
}
