// The accounts, partners and logins of one reading of the ledger, as the gateway's parts ask for them.
import { type AccountRow, readAccounts } from '#gateway/ledger/accounts.ts';
import { readDoneFiles } from '#gateway/ledger/drop-rules.ts';
import { type LoginRow, readLogins } from '#gateway/ledger/logins.ts';
import { readParticipants } from '#gateway/ledger/participants.ts';
import { readPartners } from '#gateway/ledger/partners.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import { placeOf } from '#gateway/ledger/sealed.ts';
import type { Account, Login } from '#gateway/model/account.ts';
import type { Viewer } from '#gateway/model/layout.ts';
import type { SecretPlace } from '#runtime/seal.ts';
import { openSenders, type Senders } from './senders.ts';

export interface Picture {
  readonly accounts: ReadonlyMap<string, Account>;
  readonly logins: ReadonlyMap<string, Login>;
  readonly viewers: readonly Viewer[];
  readonly homes: ReadonlySet<string>;
  /** Those whose orders are answered by moving them. */
  readonly answering: readonly string[];
  /** Those that get a file of each day over all that they see. */
  readonly reconciling: readonly Login[];
  readonly unlinked: ReadonlySet<string>;
  /** Those that would be served, if their API key could be read. */
  readonly keyless: ReadonlySet<string>;
  /** Homes that no account here may act for any more. */
  readonly left: ReadonlySet<string>;
  readonly senders: Senders;
  readonly doneFiles: ReadonlyMap<string, string>;
}

/** Opens a sealed key; undefined for one that cannot be read. */
type OpenKey = (sealed: Uint8Array, place: SecretPlace) => string | undefined;

/** Reads all of it. An account whose key cannot be read is left out: the others are served all the same. */
export async function readPicture(rows: Rows, openKey: OpenKey): Promise<Picture> {
  const [accountRows, partnerRows, loginRows, participants, doneFiles] = await Promise.all([
    readAccounts(rows),
    readPartners(rows),
    readLogins(rows),
    readParticipants(rows),
    readDoneFiles(rows),
  ]);
  const partnerKeys = new Map(
    partnerRows.map(({ partnerRegNo, serviceKey }) => [partnerRegNo, openKey(serviceKey, placeOf('API key of partner', partnerRegNo))]),
  );
  const served = accountRows.filter((row) => !row.disabled && !row.unlinked);
  const accounts = new Map(served.flatMap((row) => accountOf(row, partnerKeys, openKey)).map((account) => [account.accountRegNo, account]));
  const shared = new Set(partnerRows.filter(({ consolidated }) => consolidated).map(({ partnerRegNo }) => partnerRegNo));
  const homes = new Set([...shared, ...[...accounts.values()].map(({ home }) => home)]);
  const unlinked = accountRows.filter((row) => row.unlinked);
  const logins = loginRows.filter((row) => !row.disabled).map((row) => withHomes(row, homes));
  const answering = logins.filter(({ rules }) => rules.answers?.includes('answer')).flatMap((login) => login.homes.map(({ home }) => home));
  return {
    accounts,
    answering: [...new Set(answering)],
    doneFiles,
    homes,
    left: new Set(unlinked.filter(({ disabled, home }) => !disabled && !homes.has(home)).map(({ home }) => home)),
    logins: new Map(logins.map((login) => [login.login, login])),
    reconciling: logins.filter(({ rules }) => rules.reconciliation !== undefined),
    keyless: new Set(served.flatMap(({ accountRegNo }) => (accounts.has(accountRegNo) ? [] : [accountRegNo]))),
    unlinked: new Set(unlinked.map((row) => row.accountRegNo)),
    // Disabled logins, too: their files are not refused as those of unknown senders.
    viewers: loginRows,
    senders: openSenders({
      participants,
      shared,
      // Most homes are called what their account is called: of thousands of rows only the others stay.
      homes: new Map(accountRows.flatMap(({ accountRegNo, home }) => (home === accountRegNo ? [] : [[accountRegNo, home]]))),
      logins: loginRows,
    }),
  };
}

function accountOf(row: AccountRow, partnerKeys: ReadonlyMap<string, string | undefined>, openKey: OpenKey): Account[] {
  const { accountRegNo, home, receipts, hints, receiving, validate, unreachable, reconciliation, repair, keep, serviceKey } = row;
  const partnerRegNo = serviceKey === null ? row.partnerRegNo : null;
  const key = serviceKey === null ? partnerKeys.get(partnerRegNo ?? '') : openKey(serviceKey, placeOf('API key of account', accountRegNo));
  if (key === undefined) return [];
  const judging = { validate, unreachable, reconciliation, repair };
  return [{ accountRegNo, home, access: { partnerRegNo, key }, receipts, hints, receiving, ...judging, keep }];
}

/** A login keeps only the homes that are served. */
function withHomes(login: LoginRow, served: ReadonlySet<string>): Login {
  return { ...login, homes: login.homes.filter(({ home }) => served.has(home)) };
}
