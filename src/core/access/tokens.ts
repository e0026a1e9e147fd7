// Signs and checks tokens: JWTs by EdDSA. `authenticate` confirms their claims against the ledger at every request.

import { errors, jwtVerify, SignJWT } from 'jose';
import { v4 } from 'uuid';
import { TOKEN_LIFETIME_S, type TokenResponse } from '#contract/tokens.ts';
import { isKeyScope, type KeyScope } from '#core/ledger/keys.ts';
import type { Random } from '#domain/id.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Environment } from './api-keys.ts';
import { wrongCredentials } from './credentials.ts';
import { ALGORITHM, type SigningKeys } from './signing-keys.ts';

/** RFC 9068 §2.1: an access token and nothing else. */
const TYPE = 'at+jwt';

/** The subject of a token or a key. */
export interface Identity {
  /** An account, or with the scope `partner` a partner. */
  readonly regNo: string;
  readonly scope: KeyScope;
  /** The row of the key, or of the key with which the token was obtained. */
  readonly keyId: string;
  /** The partner that acts for the account; null when the account acts for itself. */
  readonly actor: string | null;
}

export interface TokenParts {
  readonly signingKeys: SigningKeys;
  readonly clock: Clock;
  readonly environment: Environment;
}

/** Issuer and audience: a token of one environment is nothing in the other. */
function issuerOf(environment: Environment): string {
  return `urn:dropgate:${environment}`;
}

export async function issueToken(
  { signingKeys, clock, environment }: TokenParts,
  random: Random,
  identity: Identity,
): Promise<TokenResponse> {
  const { kid, key } = await signingKeys.current();
  const { regNo, scope, keyId, actor } = identity;
  const nowS = Math.floor(clock.now() / 1_000);
  const issuer = issuerOf(environment);
  // RFC 8693 §4.1: `act` is who acts for the subject.
  const token = new SignJWT({ scope, key: keyId, ...(actor !== null && { act: { sub: actor } }) })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid })
    .setIssuer(issuer)
    .setAudience(issuer)
    .setSubject(regNo)
    .setIssuedAt(nowS)
    .setNotBefore(nowS)
    .setExpirationTime(nowS + TOKEN_LIFETIME_S)
    .setJti(v4({ random: random(16) }));
  return { access_token: await token.sign(key), token_type: 'Bearer', expires_in: TOKEN_LIFETIME_S };
}

/**
 * The claims of a token whose signature, type, issuer, audience and times are valid (RFC 8725). The key is found by `kid` among our own;
 * a key that the token brings along (`jwk`, `jku`, `x5c`) is never looked at. Throws `wrong-credentials`.
 */
export async function verifyToken({ signingKeys, clock, environment }: TokenParts, token: string): Promise<Identity> {
  const issuer = issuerOf(environment);
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid }) => {
        const key = kid === undefined ? undefined : await signingKeys.find(kid);
        if (!key) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer,
        audience: issuer,
        requiredClaims: ['sub', 'iat', 'nbf', 'exp', 'jti', 'scope', 'key'],
        currentDate: new Date(clock.now()),
      },
    );
    const { sub, scope, key, act } = payload;
    if (sub !== undefined && isKeyScope(scope) && typeof key === 'string') return { regNo: sub, scope, keyId: key, actor: actorOf(act) };
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
  }
  throw wrongCredentials();
}

function actorOf(act: unknown): string | null {
  if (typeof act !== 'object' || act === null || !('sub' in act)) return null;
  return typeof act.sub === 'string' ? act.sub : null;
}
