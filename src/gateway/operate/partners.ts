// What an administrator may change about partners on this gateway: their keys, the children that act through them, and whose addresses are whose.
import { checkedName } from '#domain/account.ts';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { parseParticipant } from '#domain/participant.ts';
import { foldersOf } from '#gateway/accounts/senders.ts';
import { ensureHome } from '#gateway/disk/paths.ts';
import { putAccountRow, readAccount, readAccounts, readChildRows, readChildren, updateAccount } from '#gateway/ledger/accounts.ts';
import { endPausesOfAccounts } from '#gateway/ledger/circuit-breaker.ts';
import { writeDoneFile } from '#gateway/ledger/drop-rules.ts';
import { endWaits } from '#gateway/ledger/item-waits.ts';
import { countItems } from '#gateway/ledger/items.ts';
import { deleteLoginHome, deleteLoginHomesOfChildren, readLogin, readLoginHomes } from '#gateway/ledger/logins.ts';
import { readParticipants, replaceParticipants } from '#gateway/ledger/participants.ts';
import { deletePartner, type PartnerRow, putPartnerRow, readPartner, readPartners } from '#gateway/ledger/partners.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import { placeOf } from '#gateway/ledger/sealed.ts';
import { changedReceiving, type ReceivingChanges } from '#gateway/model/receiving.ts';
import { endOldLink, mustBeItsOwn } from './accounts.ts';
import { type Administration, change } from './administration.ts';
import { existingLogin, putLoginHome } from './logins.ts';

export interface NewPartner {
  readonly partnerRegNo: string;
  /** Its API key at the service. A partner that is known here may go without. */
  readonly serviceKey?: string;
  /** One home for all its children. What is left out stays as it is. */
  readonly consolidated?: boolean;
  /** The login that sees its children's folders, or its one home. */
  readonly login?: string;
}

/** Keeps a partner and its API key; again, it changes what is given. Throws `usage`, `missing` for a login or a key that is not here, `exists`. */
export async function putPartner(on: Administration, { partnerRegNo, serviceKey, ...given }: NewPartner): Promise<void> {
  checkedName('partnerRegNo', partnerRegNo);
  const sealed = serviceKey === undefined ? undefined : on.seal.seal(serviceKey, placeOf('API key of partner', partnerRegNo));
  if (given.consolidated) ensureHome(on.data, partnerRegNo);
  const children = await readChildren(on.ledger.read, partnerRegNo);
  await change(
    on,
    async (rows) => {
      const before = await readPartner(rows, partnerRegNo);
      const { consolidated = before?.consolidated ?? false, login = before?.login ?? null } = given;
      await mustKeepItsHomes(rows, partnerRegNo, before?.consolidated, consolidated);
      const key = sealed ?? before?.serviceKey;
      if (!key)
        throw new AppError(
          'missing',
          `The API key of partner ${partnerRegNo} is not here; 'dropgate partner add' takes it, and in a declaration apiKey: {file: PATH} or {env: NAME}.`,
        );
      await putPartnerRow(rows, { partnerRegNo, serviceKey: key, consolidated, login }, on.clock.now());
      if (sealed) await endPausesOfAccounts(rows, await readChildren(rows, partnerRegNo));
      if (login !== null) await existingLogin(rows, login);
      if (login !== null && consolidated) await putLoginHome(rows, login, { home: partnerRegNo, folder: '' });
    },
    children,
  );
}

/** Files that lie in homes by now must be found there later. */
async function mustKeepItsHomes(rows: Rows, partnerRegNo: string, was: boolean | undefined, consolidated: boolean): Promise<void> {
  const accounts = await readAccounts(rows);
  // Those that were its children before it was removed once have no home there of their own.
  if (consolidated && !was && accounts.some(({ accountRegNo, home }) => accountRegNo === partnerRegNo && home === partnerRegNo)) {
    throw new AppError(
      'exists',
      `${partnerRegNo} is an account with a home here already, so its number cannot name the home of a partner's children.`,
    );
  }
  if (was !== undefined && was !== consolidated && accounts.some((account) => account.partnerRegNo === partnerRegNo)) {
    throw new AppError(
      'exists',
      `Partner ${partnerRegNo} has children, whose files lie where they are; it cannot be made ${consolidated ? '' : 'not '}consolidated now.`,
    );
  }
}

export interface NewChild {
  readonly partnerRegNo: string;
  readonly accountRegNo: string;
  /** The folder in which its home is seen; without it the one that it had, or its number. */
  readonly folder?: string;
  /** Which login sees it, if not the partner's own; null: none. */
  readonly login?: string | null;
  /** All addresses that it sends from; without it they stay as they are known. */
  readonly participants?: readonly string[];
  /** How documents are received for it, when it is new here: nothing is fetched before that is known. */
  readonly receiving?: ReceivingChanges;
}

export interface LinkedChild {
  /** The login that sees its home, and in which folder; null when none does. */
  readonly login: string | null;
  readonly folder: string;
  /** Files of it that are held, and may be sent on their way again. */
  readonly held: number;
}

/**
 * Lets the partner act for an account here; one that is new gets a home. Doing it again changes nothing. An account with a key of its own
 * goes on with it. Throws `usage`, `missing`, and `exists` when the folder, an address or the account belongs to another partner.
 */
export async function linkChild(on: Administration, child: NewChild): Promise<LinkedChild> {
  const { partnerRegNo, accountRegNo } = child;
  checkedName('accountRegNo', accountRegNo);
  const participants = child.participants?.map(parseParticipant);
  return change(on, async (rows) => {
    const partner = await existingPartner(rows, partnerRegNo);
    const home = await putChild(on, rows, child, partner);
    if (participants) await replaceParticipants(rows, accountRegNo, participants);
    const held = await countItems(rows, accountRegNo, 'held');
    const login = child.login === undefined ? partner.login : child.login;
    if (login === null) return { login, folder: '', held };
    const { homes } = await existingLogin(rows, login);
    const there = homes.find((each) => each.home === home);
    const folder = partner.consolidated ? '' : (child.folder ?? there?.folder ?? accountRegNo);
    await putLoginHome(rows, login, { home, folder });
    return { login, folder, held };
  });
}

/** The account's row, and the home that it has: its own, or the partner's. */
async function putChild(
  on: Administration,
  rows: Rows,
  { accountRegNo, receiving = {} }: NewChild,
  { partnerRegNo, consolidated }: Partner,
): Promise<string> {
  const before = await readAccount(rows, accountRegNo);
  if (before && !before.unlinked && before.partnerRegNo !== null && before.partnerRegNo !== partnerRegNo) {
    throw new AppError('exists', `Account ${accountRegNo} is a child of partner ${before.partnerRegNo} here; unlink it there first.`);
  }
  if (before?.unlinked && before.partnerRegNo !== partnerRegNo) await endOldLink(rows, accountRegNo);
  const isOwn = before !== undefined && before.serviceKey !== null;
  const home = isOwn ? before.home : consolidated ? partnerRegNo : accountRegNo;
  if (isOwn && consolidated && home !== partnerRegNo) {
    throw new AppError(
      'exists',
      `Account ${accountRegNo} has a home of its own here, and its documents go there; 'dropgate account remove' forgets it.`,
    );
  }
  if (home === accountRegNo) await mustBeItsOwn(rows, accountRegNo);
  ensureHome(on.data, home);
  const fresh = {
    accountRegNo,
    serviceKey: null,
    partnerRegNo,
    home,
    receiving: changedReceiving({}, receiving),
    createdAt: on.clock.now(),
  };
  await putAccountRow(rows, fresh, { partnerRegNo, home, unlinkedAt: null });
  return home;
}

/**
 * The partner acts for the account no more: its folder is not seen, nothing is received, and files that wait are held. Its folder keeps its
 * name, for when it is linked again. An account with a key of its own goes on, and is no longer seen by `login`. Throws `missing`.
 */
export function unlinkChild(
  on: Administration,
  partnerRegNo: string,
  accountRegNo: string,
  login: string,
): Promise<{ readonly waiting: number; readonly hidden: boolean }> {
  return change(
    on,
    async (rows) => {
      const account = await readAccount(rows, accountRegNo);
      if (account?.partnerRegNo !== partnerRegNo || account.unlinked)
        throw new AppError('missing', `Account ${accountRegNo} is no child of partner ${partnerRegNo} here.`);
      const hidden = (await readLogin(rows, login))?.homes.some(({ home }) => home === accountRegNo) ?? false;
      if (account.serviceKey !== null) {
        // It goes on by itself; only the partner does not see it any more.
        ensureHome(on.data, accountRegNo);
        await updateAccount(rows, accountRegNo, { partnerRegNo: null, home: accountRegNo });
        await deleteLoginHome(rows, accountRegNo, login);
        // Its addresses were declared for the partner's sake.
        await replaceParticipants(rows, accountRegNo, []);
        return { waiting: 0, hidden };
      }
      await updateAccount(rows, accountRegNo, { unlinkedAt: on.clock.now() });
      // They are looked at now, and held.
      await endWaits(rows, accountRegNo);
      return { waiting: await countItems(rows, accountRegNo, 'pending'), hidden };
    },
    [accountRegNo],
  );
}

/**
 * Forgets a partner whose children are all unlinked; their files and its folders stay on disk. Throws `missing`, and `locked` while files wait
 * in the home that its children had together: they are held soon, but only as long as that is known. Returns the login that it had.
 */
export function removePartner(on: Administration, partnerRegNo: string): Promise<string | null> {
  return change(on, async (rows) => {
    const { login } = await existingPartner(rows, partnerRegNo);
    const waiting = await countItems(rows, partnerRegNo, 'pending');
    if (waiting > 0) {
      throw new AppError(
        'locked',
        `${counted(waiting, 'file waits', 'files wait')} in the home of partner ${partnerRegNo}; a running daemon holds what waits within seconds: then run this again.`,
      );
    }
    if (login !== null) await deleteLoginHomesOfChildren(rows, login, partnerRegNo);
    await deleteLoginHome(rows, partnerRegNo);
    await writeDoneFile(rows, partnerRegNo, null);
    await deletePartner(rows, partnerRegNo);
    return login;
  });
}

/** All addresses that an account sends from. Throws `usage`, `exists`. */
export function setParticipants(on: Administration, accountRegNo: string, participants: readonly string[]): Promise<void> {
  const normal = participants.map(parseParticipant);
  return change(on, (rows) => replaceParticipants(rows, accountRegNo, normal));
}

export interface Child {
  readonly accountRegNo: string;
  readonly folder: string;
  readonly state: 'linked' | 'unlinked' | 'disabled';
  readonly participants: readonly string[];
}

export type Partner = Omit<PartnerRow, 'serviceKey'>;

/** The partners on this gateway, all or these, each with its children. */
export async function listPartners(
  { ledger: { read } }: Administration,
  partnerRegNos?: readonly string[],
): Promise<(Partner & { readonly children: readonly Child[] })[]> {
  const [partners, children, loginHomes, participants] = await Promise.all([
    readPartners(read, partnerRegNos),
    readChildRows(read, partnerRegNos),
    readLoginHomes(read),
    readParticipants(read),
  ]);
  const folders = foldersOf(loginHomes);
  const addresses = Map.groupBy(participants, ({ accountRegNo }) => accountRegNo);
  const childrenOf = Map.groupBy(children, (child) => child.partnerRegNo);
  return partners.map(({ partnerRegNo, consolidated, login }) => ({
    partnerRegNo,
    consolidated,
    login,
    children: (childrenOf.get(partnerRegNo) ?? []).map(({ accountRegNo, unlinked, disabled }) => ({
      accountRegNo,
      folder: folders.get(accountRegNo) ?? '',
      state: unlinked ? 'unlinked' : disabled ? 'disabled' : 'linked',
      participants: (addresses.get(accountRegNo) ?? []).map(({ participant }) => participant),
    })),
  }));
}

async function existingPartner(rows: Rows, partnerRegNo: string): Promise<Partner> {
  const partner = await readPartner(rows, partnerRegNo);
  if (!partner) throw new AppError('missing', `Partner ${partnerRegNo} is not known on this gateway; 'dropgate partner add' adds it.`);
  return partner;
}
