// With what the gateway proves itself at the service on behalf of an account: its API key, or a token that its partner was given for it.
import { AppError } from '#domain/error.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { TokenCache } from './token-cache.ts';

export interface Authority {
  /**
   * The Authorization header of a request. Throws before anything is sent: `missing`, `forbidden` (the partner may not act for the
   * account), `wrong-credentials` (its own key is refused), `rate-limited`, `internal`; where it is known, facts.waitMs says when to ask again.
   */
  header(accountRegNo: string): Promise<string>;
  /** What the service answered to it. */
  answered(accountRegNo: string, header: string, status: number): void;
  /** After a 401: true when there is something else to try, so that the request may be made once more. */
  renew(accountRegNo: string): Promise<boolean>;
}

const BEARER = 'Bearer ';

export function openAuthority(accounts: Accounts, tokens: TokenCache): Authority {
  return {
    async header(accountRegNo) {
      const access = accounts.find(accountRegNo)?.access;
      if (!access) throw new AppError('missing', `account ${accountRegNo} has no home here`);
      const { partnerRegNo, key } = access;
      return partnerRegNo === null ? `ApiKey ${key}` : `${BEARER}${await tokens.token(accountRegNo, { partnerRegNo, key })}`;
    },
    answered(accountRegNo, header, status) {
      if (header.startsWith(BEARER)) tokens.answered(accountRegNo, header.slice(BEARER.length), status);
    },
    async renew(accountRegNo) {
      const before = accounts.find(accountRegNo)?.access;
      await accounts.refresh();
      const now = accounts.find(accountRegNo)?.access;
      if (now?.key !== before?.key) return true;
      return now?.partnerRegNo != null && tokens.isRenewable(accountRegNo, { partnerRegNo: now.partnerRegNo, key: now.key });
    },
  };
}
