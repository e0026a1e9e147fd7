// The request budget: a fixed window per account, one for all that a partner does, and one per address (of IPv6: per /64) for callers without valid
// credentials (decisions A2).
import type { Windows } from '#engines/windows.ts';
import { sourceOf } from '#runtime/networks.ts';

/** A partner's budget for all its children, in budgets of one account. */
const PARTNER_ACCOUNTS = 10;
const ANONYMOUS_REQUESTS = 60;
const ANONYMOUS_WINDOW_MS = 60_000;

export interface Budget {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** `<requests>;w=<window seconds>` (specification, Limits). */
  readonly policy: string;
  readonly spent: boolean;
}

export interface RateLimit {
  /**
   * Charges one request to the account, to the partner that asks, or to both; a refused request is charged to neither. Returns the budget that
   * refuses it, otherwise the budget with less left.
   */
  caller(caller: Payers): Promise<Budget>;
  /** Charges one request to an address, of IPv6 to its /64; 0 charges nothing. */
  address(address: string, points?: 0 | 1): Promise<Budget>;
}

/** The account and the partner whose budgets a request spends; `requestsMax` null is the usual limit. */
interface Payers {
  readonly account: { readonly accountRegNo: string; readonly requestsMax: number | null } | null;
  readonly partner: { readonly partnerRegNo: string; readonly requestsMax: number | null } | null;
}

/** `limits` may change meanwhile. */
export function createRateLimit(windows: Windows, limits: { readonly requests: number }, windowMs: number): RateLimit {
  const charge = chargeIn(windows, 'caller', windowMs);
  const chargeAddress = chargeIn(windows, 'address', ANONYMOUS_WINDOW_MS);
  // An account and a partner may have the same number.
  const chargeAccount = ({ accountRegNo, requestsMax }: NonNullable<Payers['account']>): Promise<Budget> =>
    charge(`account:${accountRegNo}`, requestsMax ?? limits.requests, 1);
  const chargePartner = ({ partnerRegNo, requestsMax }: NonNullable<Payers['partner']>, points: 0 | 1): Promise<Budget> =>
    charge(`partner:${partnerRegNo}`, requestsMax ?? PARTNER_ACCOUNTS * limits.requests, points);
  return {
    async caller({ account, partner }) {
      const shared = partner && (await chargePartner(partner, 0));
      if (shared?.remaining === 0) return { ...shared, spent: true };
      const own = account && (await chargeAccount(account));
      if (own?.spent) return own;
      const all = partner && (await chargePartner(partner, 1));
      const [nearer] = [own, all].filter((budget) => budget !== null).sort((one, other) => one.remaining - other.remaining);
      if (!nearer) throw new RangeError('a request is charged to an account, a partner, or both');
      return nearer;
    },
    address: (address, points = 1) => chargeAddress(sourceOf(address), ANONYMOUS_REQUESTS, points),
  };
}

function chargeIn(windows: Windows, name: string, windowMs: number): (key: string, limit: number, points: number) => Promise<Budget> {
  const seconds = Math.ceil(windowMs / 1_000);
  const window = windows.open(name, seconds);
  return async (key, limit, charged) => {
    const { points, endsInMs } = await window.spend(key, charged);
    return {
      limit,
      remaining: Math.max(limit - points, 0),
      resetSeconds: Math.max(Math.ceil(endsInMs / 1_000), 1),
      policy: `${limit};w=${seconds}`,
      spent: points > limit,
    };
  };
}
