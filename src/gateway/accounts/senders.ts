// Whose a document is: by the folder where that decides, and then the sender must belong to it; by the sender in a home of several accounts.
import type { ParticipantRow } from '#gateway/ledger/participants.ts';
import type { SeenAccount, Stranger } from '#gateway/model/account.ts';
import type { Item } from '#gateway/model/item.ts';
import type { LoginHome } from '#gateway/model/layout.ts';

export interface Senders {
  /** The account on whose behalf the item is sent, or what is wrong with its sender. A sender that is unknown here decides nothing. */
  ownerOf(item: Pick<Item, 'home' | 'accountRegNo'>, sender: string): string | Stranger;
  /** The addresses of an account. */
  addressesOf(accountRegNo: string): readonly string[];
}

export interface SenderParts {
  readonly participants: readonly ParticipantRow[];
  /** Homes of several accounts. */
  readonly shared: ReadonlySet<string>;
  /** Of accounts whose home has another name. */
  readonly homes: ReadonlyMap<string, string>;
  readonly logins: readonly { readonly homes: readonly LoginHome[] }[];
}

/** In which folder each home is seen; a login that sees it at its top says nothing about that. */
export function foldersOf(loginHomes: readonly LoginHome[]): ReadonlyMap<string, string> {
  return new Map(loginHomes.filter(({ folder }) => folder !== '').map(({ home, folder }) => [home, folder]));
}

export function openSenders({ participants, shared, homes, logins }: SenderParts): Senders {
  const owners = new Map(participants.map(({ participant, accountRegNo }) => [participant, accountRegNo]));
  const declared = new Set(owners.values());
  const homeOf = (accountRegNo: string): string => homes.get(accountRegNo) ?? accountRegNo;

  const addressesOf = (accountRegNo: string): readonly string[] =>
    participants.filter((row) => row.accountRegNo === accountRegNo).map(({ participant }) => participant);

  /** A receipt is read by all who see the home that it lies in: it names only what each of them sees. */
  function stranger({ home, accountRegNo }: Pick<Item, 'home' | 'accountRegNo'>, sender: string): Stranger {
    const readers = logins.filter((login) => sees(login, home));
    const placeOf = (account: string): SeenAccount => ({ accountRegNo: account, folder: folderForAll(readers, homeOf(account)) });
    const owner = owners.get(sender);
    const isSeen = owner !== undefined && readers.length > 0 && readers.every((login) => sees(login, homeOf(owner)));
    return { sender, belongsTo: isSeen ? placeOf(owner) : null, dropped: placeOf(accountRegNo), addresses: addressesOf(accountRegNo) };
  }

  return {
    addressesOf,
    ownerOf(item, sender) {
      const owner = owners.get(sender);
      if (shared.has(item.home)) {
        return owner !== undefined && homeOf(owner) === item.home ? owner : stranger(item, sender);
      }
      const fits = owner === undefined ? !declared.has(item.accountRegNo) : owner === item.accountRegNo;
      return fits ? item.accountRegNo : stranger(item, sender);
    },
  };
}

/** The folder in which all of them see the home; '' when they differ: what a partner calls it is nothing to its child. */
function folderForAll(readers: SenderParts['logins'], home: string): string {
  const [folder = '', ...others] = new Set(readers.map(({ homes }) => homes.find((seen) => seen.home === home)?.folder ?? ''));
  return others.length === 0 ? folder : '';
}

export function sees({ homes }: { readonly homes: readonly LoginHome[] }, home: string): boolean {
  return homes.some((seen) => seen.home === home);
}
