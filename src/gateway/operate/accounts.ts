// Accounts that get a home on this gateway, or lose it.
import { checkedName } from '#domain/account.ts';
import { AppError } from '#domain/error.ts';
import { ensureHome } from '#gateway/disk/paths.ts';
import { deleteAccount, putAccountRow, readAccount, updateAccount } from '#gateway/ledger/accounts.ts';
import { endPausesOfAccounts } from '#gateway/ledger/circuit-breaker.ts';
import { writeDoneFile } from '#gateway/ledger/drop-rules.ts';
import { deleteHint } from '#gateway/ledger/hints.ts';
import { countItems } from '#gateway/ledger/items.ts';
import { deleteLoginHome } from '#gateway/ledger/logins.ts';
import { replaceParticipants } from '#gateway/ledger/participants.ts';
import { isSharedHome } from '#gateway/ledger/partners.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import { placeOf } from '#gateway/ledger/sealed.ts';
import { changedReceiving, type ReceivingChanges } from '#gateway/model/receiving.ts';
import { type Administration, change } from './administration.ts';

/**
 * Gives an account a home here, and keeps the API key with which the gateway speaks for it. Adding it again replaces the key only; one that
 * its partner had to leave is nobody's child any more. Throws `usage`.
 */
export async function putAccount(
  on: Administration,
  accountRegNo: string,
  serviceKey: string,
  changes: ReceivingChanges = {},
): Promise<void> {
  checkedName('accountRegNo', accountRegNo);
  ensureHome(on.data, accountRegNo);
  const sealed = on.seal.seal(serviceKey, placeOf('API key of account', accountRegNo));
  const receiving = changedReceiving({}, changes);
  await change(
    on,
    async (rows) => {
      await mustBeItsOwn(rows, accountRegNo);
      if (await endOldLink(rows, accountRegNo)) await replaceParticipants(rows, accountRegNo, []);
      const fresh = { accountRegNo, serviceKey: sealed, partnerRegNo: null, home: accountRegNo, receiving, createdAt: on.clock.now() };
      await putAccountRow(rows, fresh, { serviceKey: sealed });
      await endPausesOfAccounts(rows, [accountRegNo]);
    },
    [accountRegNo],
  );
}

/**
 * An account that its partner had to leave gets another life, by itself or with another partner: nothing of the old link is left, and no
 * login of then sees it again by that. False when there was no such link.
 */
export async function endOldLink(rows: Rows, accountRegNo: string): Promise<boolean> {
  if (!(await readAccount(rows, accountRegNo))?.unlinked) return false;
  await deleteLoginHome(rows, accountRegNo);
  await updateAccount(rows, accountRegNo, { partnerRegNo: null, home: accountRegNo, unlinkedAt: null });
  return true;
}

/** An account whose home would be that of other people's children must not see it. Throws `exists`. */
export async function mustBeItsOwn(rows: Rows, accountRegNo: string): Promise<void> {
  if (await isSharedHome(rows, accountRegNo)) {
    throw new AppError('exists', `${accountRegNo} names the home of a partner's children here, so no account of this number can have one.`);
  }
}

/** Forgets the account and the homes of it that logins see; its folders stay on disk. Throws `quota` while files of it wait. */
export function removeAccount(on: Administration, accountRegNo: string): Promise<boolean> {
  return change(
    on,
    async (rows) => {
      if ((await countItems(rows, accountRegNo, 'pending')) > 0) {
        throw new AppError(
          'quota',
          `Account ${accountRegNo} still has files that wait for the service; disable it now, and remove it when they are done.`,
        );
      }
      await deleteLoginHome(rows, accountRegNo);
      await replaceParticipants(rows, accountRegNo, []);
      await deleteHint(rows, accountRegNo);
      await writeDoneFile(rows, accountRegNo, null);
      return deleteAccount(rows, accountRegNo);
    },
    [accountRegNo],
  );
}
