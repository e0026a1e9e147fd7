// Who asks: an API key, and whether it may speak for the account in the path.
import { AppError } from '#domain/error.ts';
import { digestOfKey, isOfEnvironment, keyOfHeader } from './api-keys.ts';
import type { Context } from './context.ts';
import { findAccount } from './ledger/accounts.ts';
import { findKey } from './ledger/keys.ts';

/**
 * Checks the Authorization header for a request to the account. One sentence for all that is wrong with a key, so that nobody learns
 * which accounts there are. Throws `unauthenticated`, `wrong-credentials`, `forbidden`.
 */
export async function authenticate(context: Context, header: string | undefined, accountRegNo: string): Promise<void> {
  const key = keyOfHeader(header);
  const { read } = context.ledger;
  const found = isOfEnvironment(key, context.environment) ? await findKey(read, digestOfKey(key), context.clock.now()) : undefined;
  const account = found?.accountRegNo === accountRegNo ? await findAccount(read, accountRegNo) : undefined;
  if (!found || !account?.enabled) {
    throw new AppError('wrong-credentials', 'The API key is not valid for this account.');
  }
  // The gateway's own key is a scope of its own and stays (decisions A3, Features).
  if (!account.apiIntegration && found.scope === 'api') {
    throw new AppError('forbidden', 'The feature apiIntegration is not enabled on this account.');
  }
}
