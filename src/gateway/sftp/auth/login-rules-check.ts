// Whether somebody who has proved who it is may come in, and stay: the rules of its login.
import type { AuthenticationType } from 'ssh2';
import type { Login } from '#gateway/model/account.ts';
import type { LoginHome } from '#gateway/model/layout.ts';
import { expiryMs, mayComeFrom } from '#gateway/model/login-rules.ts';
import type { LoginFailure } from '#gateway/sftp/rejects.ts';

/** What a login can be proved with. */
export type Proof = 'key' | 'password';

/** Where a connection comes from, when, and what it has proved. */
export interface Claimant {
  readonly address: string;
  readonly nowMs: number;
  readonly proved: ReadonlySet<Proof>;
}

const PROOF_OF: Readonly<Partial<Record<AuthenticationType, Proof>>> = {
  publickey: 'key',
  password: 'password',
  'keyboard-interactive': 'password',
};

/** What clients are told that they may try, always the same for everybody; without it some give up after the first refusal. */
const METHODS: AuthenticationType[] = ['publickey', 'password', 'keyboard-interactive'];

/** What is left to try: all, or what may follow what was proved (RFC 4252 §5.1). */
export function methodsLeft(proved: ReadonlySet<Proof>): AuthenticationType[] {
  return METHODS.filter((method) => {
    const proof = PROOF_OF[method];
    return proof === undefined || !proved.has(proof);
  });
}

/** Why a login that has proved as much does not get in; 'half' when it owes the other proof. */
export function barrierOf({ rules }: Login, { address, nowMs, proved }: Claimant): LoginFailure | undefined {
  if (!mayComeFrom(rules, address)) return 'address';
  if (nowMs >= expiryMs(rules)) return 'expired';
  if (rules.methods === 'both') return proved.size < 2 ? 'half' : undefined;
  return rules.methods !== undefined && !proved.has(rules.methods) ? 'method-rule' : undefined;
}

/**
 * Whether a session that began as `then` may go on as `now`. Homes may come and go under it, but not all that it had; one that may no longer
 * write could leave half a file behind: it ends.
 */
export function mayStay(then: Login, now: Login | undefined, claimant: Claimant): boolean {
  if (now === undefined || barrierOf(now, claimant) !== undefined || !isProvedStill(then, now, claimant)) return false;
  const isSeen = (seen: LoginHome): boolean => now.homes.some(({ home, folder }) => home === seen.home && folder === seen.folder);
  const seesOne = then.homes.length === 0 || then.homes.some(isSeen);
  return seesOne && (then.rules.readOnly === true || now.rules.readOnly !== true);
}

/** A password that was changed, or a key that was taken away, proves nothing any more. */
function isProvedStill(then: Login, now: Login, { proved }: Claimant): boolean {
  const hasKeys = then.publicKeys.every((key) => now.publicKeys.includes(key));
  return (!proved.has('password') || then.passwordHash === now.passwordHash) && (!proved.has('key') || hasKeys);
}
