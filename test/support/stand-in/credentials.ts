// Who may speak for which account at the stand-in: API keys, and tokens that a key is exchanged for (specification, Token endpoints).
import { randomUUID } from 'node:crypto';
import type { Clock } from '#runtime/clock.ts';
import { refusal, type Scripted, type Seen } from '../scripted-service.ts';

const TOKEN_MS = 3_600_000;

export interface AccountKey {
  /** May be changed: the old one is refused from then on. */
  key: string;
  /** Accounts that it may act for. */
  readonly children?: string[];
}

export interface Credentials {
  readonly accounts: Map<string, AccountKey>;
  /** Whether the request speaks for the account. */
  admits(seen: Seen, accountRegNo: string, tokensOnly: boolean): boolean;
  /** Answers a request at a token endpoint; undefined for any other path. */
  token(seen: Seen): Scripted | undefined;
  /** Every token that was given out is refused from now on. */
  expireTokens(): void;
  /** So far, for the account or for all. */
  tokensGiven(accountRegNo?: string): number;
}

export function openCredentials(clock: Clock, accounts: Map<string, AccountKey>): Credentials {
  const tokens = new Map<string, { sub: string; until: number }>();
  /** Accounts that tokens were given for. */
  const given: string[] = [];

  function give(sub: string): Scripted {
    const token = `token-${randomUUID()}`;
    tokens.set(token, { sub, until: clock.now() + TOKEN_MS });
    given.push(sub);
    return { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in: TOKEN_MS / 1_000 } };
  }

  return {
    accounts,
    admits(seen, accountRegNo, tokensOnly) {
      const [scheme = '', secret = scheme] = String(seen.headers.authorization ?? '').split(' ');
      if (scheme === 'Bearer') {
        const token = tokens.get(secret);
        return token !== undefined && token.sub === accountRegNo && token.until > clock.now();
      }
      return !tokensOnly && accounts.get(accountRegNo)?.key === secret;
    },
    token(seen) {
      const [, first, named] = seen.path.split('/');
      if (first !== 'token') return undefined;
      const asked = textsIn(seen.body);
      const who = named ?? asked.client_id ?? '';
      const [scheme = '', key = scheme] = String(seen.headers.authorization ?? '').split(' ');
      const secret = named === undefined ? asked.client_secret : key;
      const account = accounts.get(who);
      if (!account || account.key !== secret) return refusal(401, 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION');
      if (asked.actingAs !== 'parent') return give(who);
      const child = asked.forChildRegNo;
      if (child === undefined) return refusal(422, 'E_VALIDATION');
      return account.children?.includes(child) ? give(child) : refusal(401, 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION');
    },
    expireTokens: () => tokens.clear(),
    tokensGiven: (accountRegNo) => given.filter((sub) => accountRegNo === undefined || sub === accountRegNo).length,
  };
}

function textsIn(body: Buffer): Record<string, string | undefined> {
  if (body.length === 0) return {};
  const parsed: unknown = JSON.parse(body.toString());
  if (typeof parsed !== 'object' || parsed === null) return {};
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => typeof value === 'string'));
}
