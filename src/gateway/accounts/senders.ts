// Whose a document is: by the folder where that decides, and then the sender must belong to it; by the sender in a home of several accounts.
import type { Item } from '#gateway/ledger/items.ts';
import type { ParticipantRow } from '#gateway/ledger/participants.ts';

/** A sender that does not fit, or that nobody here has. */
export interface Stranger {
  readonly sender: string;
  /** Whose address it is; null when nobody's here. */
  readonly belongsTo: Place | null;
  /** Where it was dropped. */
  readonly dropped: Place;
}

/** An account as the people at the other end know it: by the folder in which they see it. */
interface Place {
  readonly accountRegNo: string;
  /** '' where its folders stand at the top, or where nobody sees it. */
  readonly folder: string;
}

export interface Senders {
  /** The account on whose behalf the item is sent, or what is wrong with its sender. What is not known here decides nothing. */
  ownerOf(item: Pick<Item, 'home' | 'accountRegNo'>, sender: string): string | Stranger;
}

export interface SenderParts {
  readonly participants: readonly ParticipantRow[];
  /** Homes of several accounts. */
  readonly shared: ReadonlySet<string>;
  readonly members: ReadonlyMap<string, { readonly home: string }>;
  readonly loginHomes: readonly { readonly home: string; readonly folder: string }[];
}

/** In which folder each home is seen; a login that sees it at its top says nothing about that. */
export function foldersOf(loginHomes: SenderParts['loginHomes']): ReadonlyMap<string, string> {
  return new Map(loginHomes.filter(({ folder }) => folder !== '').map(({ home, folder }) => [home, folder]));
}

export function openSenders({ participants, shared, members, loginHomes }: SenderParts): Senders {
  const owners = new Map(participants.map(({ participant, accountRegNo }) => [participant, accountRegNo]));
  const declared = new Set(owners.values());
  const folders = foldersOf(loginHomes);

  const placeOf = (accountRegNo: string): Place => ({ accountRegNo, folder: folders.get(accountRegNo) ?? '' });

  function stranger(item: Pick<Item, 'accountRegNo'>, sender: string): Stranger {
    const owner = owners.get(sender);
    return { sender, belongsTo: owner === undefined ? null : placeOf(owner), dropped: placeOf(item.accountRegNo) };
  }

  return {
    ownerOf(item, sender) {
      const owner = owners.get(sender);
      if (shared.has(item.home)) {
        return owner !== undefined && members.get(owner)?.home === item.home ? owner : stranger(item, sender);
      }
      const fits = owner === undefined ? !declared.has(item.accountRegNo) : owner === item.accountRegNo;
      return fits ? item.accountRegNo : stranger(item, sender);
    },
  };
}
