// The accounts, partners and logins that this gateway serves: read from the ledger, read again when their revision moves.

import { type AccountRow, readAccounts } from '#gateway/ledger/accounts.ts';
import { readDoneFiles } from '#gateway/ledger/drop-rules.ts';
import { type LoginRow, readLogins } from '#gateway/ledger/logins.ts';
import { readParticipants } from '#gateway/ledger/participants.ts';
import { type PartnerRow, readPartners } from '#gateway/ledger/partners.ts';
import { readRevision } from '#gateway/ledger/revisions.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { placeOf } from '#gateway/ledger/sealed.ts';
import type { Account, Accounts, Login } from '#gateway/model/account.ts';
import type { Viewer } from '#gateway/model/layout.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Seal, SecretPlace } from '#runtime/seal.ts';
import { openSenders, type Senders, sees } from './senders.ts';

/** How soon a change made by another process is noticed. */
const LOOK_EVERY_MS = 1_000;

/** All that is read at one time. */
interface Picture {
  readonly accounts: ReadonlyMap<string, Account>;
  readonly logins: ReadonlyMap<string, Login>;
  readonly viewers: readonly Viewer[];
  readonly homes: ReadonlySet<string>;
  readonly unlinked: ReadonlySet<string>;
  /** Homes that nobody may act for any more. */
  readonly left: ReadonlySet<string>;
  readonly senders: Senders;
  readonly doneFiles: ReadonlyMap<string, string>;
}

/** Reads all of it and keeps it current; `changed` is called after each change, but not for the first reading. */
export async function openAccounts(
  ledger: Ledger,
  seal: Seal,
  clock: Clock,
  log: Log,
  changed: () => void,
): Promise<Accounts & Disposable> {
  let revision = -1;
  let picture: Picture;

  /** Undefined when nothing has changed since. */
  async function read(): Promise<Picture | undefined> {
    const now = await readRevision(ledger.read);
    if (now === revision) return undefined;
    const [accountRows, partnerRows, loginRows, participants, doneFiles] = await Promise.all([
      readAccounts(ledger.read),
      readPartners(ledger.read),
      readLogins(ledger.read),
      readParticipants(ledger.read),
      readDoneFiles(ledger.read),
    ]);
    revision = now;
    const partnerKeys = new Map(partnerRows.flatMap((row) => opened(placeOf('API key of partner', row.partnerRegNo), row.serviceKey)));
    const active = accountRows.filter((row) => !row.disabled && !row.unlinked);
    const accounts = new Map(active.flatMap((row) => accountOf(row, partnerKeys)).map((account) => [account.accountRegNo, account]));
    const shared = sharedHomes(partnerRows);
    const homes = new Set([...shared, ...[...accounts.values()].map(({ home }) => home)]);
    const unlinked = accountRows.filter((row) => row.unlinked);
    return {
      accounts,
      doneFiles,
      homes,
      left: new Set(unlinked.filter(({ disabled, home }) => !disabled && !homes.has(home)).map(({ home }) => home)),
      logins: new Map(loginRows.filter((row) => !row.disabled).map((row) => [row.login, withHomes(row, homes)])),
      unlinked: new Set(unlinked.map((row) => row.accountRegNo)),
      // Those that are not served, too: what waits for them is not refused as nobody's.
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

  /** Nothing for an account whose key cannot be read: the others are served all the same. */
  function accountOf(
    { accountRegNo, home, receipts, hints, receiving, validate, ...row }: AccountRow,
    partnerKeys: ReadonlyMap<string, string>,
  ): Account[] {
    const { serviceKey } = row;
    const partnerRegNo = serviceKey === null ? row.partnerRegNo : null;
    const [[, key = partnerKeys.get(partnerRegNo ?? '')] = []] =
      serviceKey === null ? [] : opened(placeOf('API key of account', accountRegNo), serviceKey);
    return key === undefined ? [] : [{ accountRegNo, home, access: { partnerRegNo, key }, receipts, hints, receiving, validate }];
  }

  function opened(place: SecretPlace, sealed: Uint8Array): [string, string][] {
    try {
      return [[place.id, seal.open(sealed, place)]];
    } catch (error) {
      log.error({ event: 'accounts.sealed', accountRegNo: place.id, err: error });
      return [];
    }
  }

  async function refresh(): Promise<void> {
    const next = await read();
    if (!next) return;
    picture = next;
    changed();
    log.info({ event: 'accounts.changed', accounts: picture.accounts.size, logins: picture.logins.size });
  }

  const first = await read();
  if (!first) throw new RangeError('no revision is read before the first');
  picture = first;
  const timer = every(clock, LOOK_EVERY_MS, refresh, (error) => log.error({ event: 'accounts.unread', err: error }));
  return {
    logins: { find: (login) => picture.logins.get(login) },
    all: () => [...picture.accounts.values()],
    find: (accountRegNo) => picture.accounts.get(accountRegNo),
    readersOf: (home) => picture.viewers.filter((viewer) => sees(viewer, home)),
    homes: () => [...picture.homes],
    inboxes: () => [...picture.homes, ...picture.left],
    doneFile: (home) => picture.doneFiles.get(home) ?? null,
    standing(accountRegNo) {
      // What was dropped into a home of several accounts is the partner's until its sender is known.
      if (picture.accounts.has(accountRegNo) || picture.homes.has(accountRegNo)) return 'served';
      return picture.unlinked.has(accountRegNo) || picture.left.has(accountRegNo) ? 'unlinked' : 'disabled';
    },
    async ownerOf(item, sender) {
      const owner = picture.senders.ownerOf(item, sender);
      if (typeof owner === 'string') return owner;
      await refresh();
      return picture.senders.ownerOf(item, sender);
    },
    refresh,
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}

function sharedHomes(partners: readonly PartnerRow[]): Set<string> {
  return new Set(partners.filter(({ consolidated }) => consolidated).map(({ partnerRegNo }) => partnerRegNo));
}

/** A login keeps only the homes that are served. */
function withHomes(login: LoginRow, served: ReadonlySet<string>): Login {
  return { ...login, homes: login.homes.filter(({ home }) => served.has(home)) };
}
