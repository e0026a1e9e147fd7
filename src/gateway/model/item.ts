// An item: one dropped file, from the moment that it is ours until it has ended.
import type { DocumentHead } from '#domain/document.ts';
import type { ByteName } from './intake.ts';

/** The states in which an item has left the hands of the gateway, at least for now. */
export const END_STATES = ['accepted', 'refused', 'held', 'cancelled'] as const;
export type EndState = (typeof END_STATES)[number];

export const ITEM_STATES = ['pending', ...END_STATES] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** What is found may be in: the state of an item, in an outbox or taken from there, or an upload that came to nothing. */
export const FIND_STATES = [...ITEM_STATES, 'received', 'failed'] as const;
export type FindState = (typeof FIND_STATES)[number];

/** Which state of an item may follow which. */
const TRANSITIONS = {
  pending: [
    'accepted', // the service has it (or had the same document before: `duplicateOf`)
    'refused', // a final no, by us or by the service
    'held', // its fate is unknown; a person must look
    'cancelled', // a person took it back, or it was never acknowledged
  ],
  held: [
    'pending', // a person sent it on its way again
    'cancelled', // a person has settled it
  ],
  cancelled: [
    'pending', // it was never acknowledged, and is in the spool after all
  ],
  accepted: [],
  refused: [],
} as const satisfies Readonly<Record<ItemState, readonly ItemState[]>>;

/** The states that may become this one. */
export type StateBefore<To extends ItemState> = {
  [From in ItemState]: To extends (typeof TRANSITIONS)[From][number] ? From : never;
}[ItemState];

export function mayBecome(from: ItemState, to: ItemState): boolean {
  return TRANSITIONS[from].some((each) => each === to);
}

/**
 * `send`: as it is; `overwrite`: replace an earlier document of the same id; `resend`: a person sends it again; `unnamed`: never renamed to
 * a real name, so it is refused.
 */
export type SubmitMode = 'send' | 'overwrite' | 'resend' | 'unnamed';

export interface Item {
  readonly item: string;
  /** On whose behalf it is sent; in a home of several accounts the home's name, until its sender decides whose it is. */
  readonly accountRegNo: string;
  /** Whose spool holds its file, and whose folders get its receipts and its original. */
  readonly home: string;
  /** Null when a local program put the file into the folder. */
  readonly login: string | null;
  readonly fileName: ByteName;
  /** Name of its file in the home's spool. */
  readonly spoolName: string;
  readonly mode: SubmitMode;
  readonly sha256: string;
  readonly size: number;
  readonly receivedAt: number;
  readonly state: ItemState;
  readonly nextAttemptAt: number;
  /** The spool had it and the ledger did not, so an earlier attempt may have got through. */
  readonly recovered: boolean;
  readonly head: ItemHead | null;
  /** The item that it sends again. */
  readonly resends: string | null;
}

export type ItemHead = Pick<DocumentHead, 'family' | 'documentId' | 'sender' | 'receiver'>;

/** As rows have it: null where it is not known. */
export type HeadInRow = { readonly [Field in keyof ItemHead]: string | null };

/** What the ledger knows of the latest item by which the service accepted a document. */
export interface AcceptedVersion {
  readonly item: string;
  readonly sha256: string;
  readonly integrationId: string | null;
  /** What the network was last heard to say of it; '' when nothing was. */
  readonly status: string;
}
