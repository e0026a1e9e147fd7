// What an administrator may set about an account that has a home here, or is a partner's child: whether it is served, and how.

import { AppError } from '#domain/error.ts';
import { type AccountRow, readAccount, readAccounts, updateAccount } from '#gateway/ledger/accounts.ts';
import { readDoneFiles, writeDoneFile } from '#gateway/ledger/drop-rules.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import type { AccountRules } from '#gateway/model/account.ts';
import { doneFileOf } from '#gateway/model/done-file.ts';
import { changedKeeping, type KeepChanges } from '#gateway/model/keeping.ts';
import { changedReceiving, type ReceivingChanges, type ReceivingRules } from '#gateway/model/receiving.ts';
import { type Administration, change } from './administration.ts';

/** An account here, and all that is set about it. */
export interface AccountHere extends AccountRules, Pick<AccountRow, 'accountRegNo' | 'home' | 'disabled' | 'unlinked'> {
  /** It has an API key of its own here; otherwise its partner speaks for it. */
  readonly ownKey: boolean;
  /** The form of the files that must follow the documents dropped into its home on disk; null: none need to. */
  readonly doneFile: string | null;
}

/** All, or those of these that are there. */
export async function listAccountsHere(
  { ledger: { read } }: Pick<Administration, 'ledger'>,
  accountRegNos?: readonly string[],
): Promise<AccountHere[]> {
  const [accounts, doneFiles] = await Promise.all([readAccounts(read, accountRegNos), readDoneFiles(read)]);
  return accounts.map((account) => hereOf(account, doneFiles));
}

export async function findAccountHere(
  { ledger: { read } }: Pick<Administration, 'ledger'>,
  accountRegNo: string,
): Promise<AccountHere | undefined> {
  const [account, doneFiles] = await Promise.all([readAccount(read, accountRegNo), readDoneFiles(read)]);
  return account && hereOf(account, doneFiles);
}

function hereOf({ serviceKey, partnerRegNo, ...account }: AccountRow, doneFiles: ReadonlyMap<string, string>): AccountHere {
  return { ...account, ownKey: serviceKey !== null, doneFile: doneFiles.get(account.home) ?? null };
}

/**
 * Disabled: logins do not see it, and nothing is taken, submitted or polled for it; its files stay. False when it is not here.
 */
export function setServed(on: Administration, accountRegNo: string, served: boolean): Promise<boolean> {
  return change(on, (rows) => updateAccount(rows, accountRegNo, { disabledAt: served ? null : on.clock.now() }));
}

/** What can be set by `changeAccount`; columns that are left out stay. */
interface AccountChanges extends Partial<Omit<AccountRules, 'receiving' | 'keep'>> {
  /** For how long is kept what has ended. */
  readonly keep?: KeepChanges;
  /** Of all accounts whose home is this one's, too. */
  readonly doneFile?: string | null;
}

/** Throws `missing`, and `usage` for a done-file that is none. */
export async function changeAccount(on: Administration, accountRegNo: string, changes: AccountChanges): Promise<void> {
  const { doneFile, keep, ...columns } = changes;
  const form = typeof doneFile === 'string' ? doneFileOf(doneFile) : doneFile;
  await change(on, async (rows) => {
    const { home, keep: before } = await mustBeHere(rows, accountRegNo);
    await updateAccount(rows, accountRegNo, { ...columns, ...(keep && { keep: changedKeeping(before, keep) }) });
    if (form !== undefined) await writeDoneFile(rows, home, form);
  });
}

/** Changes how documents are received for the account, and returns its rules. Throws `missing`, `usage`. */
export function changeReceiving(on: Administration, accountRegNo: string, changes: ReceivingChanges): Promise<ReceivingRules> {
  return change(on, async (rows) => {
    const { receiving } = await mustBeHere(rows, accountRegNo);
    if (Object.keys(changes).length === 0) return receiving;
    const rules = changedReceiving(receiving, changes);
    await updateAccount(rows, accountRegNo, { receiving: rules });
    return rules;
  });
}

async function mustBeHere(rows: Rows, accountRegNo: string): Promise<AccountRow> {
  const account = await readAccount(rows, accountRegNo);
  if (!account) throw new AppError('missing', `Account ${accountRegNo} has no home here.`);
  return account;
}
