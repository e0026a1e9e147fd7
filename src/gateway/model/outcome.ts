// What became of an item, or of a file on its way to be one: stage, action and sentence of its receipt, and the state that it leaves.
import type { Finding, SeenHead } from '#domain/document.ts';
import type { Action, NetworkAnswer, Repaired, Stage } from '#domain/receipt.ts';
import type { ReceiptCode } from '#domain/receipt-codes.ts';
import type { EndState, Item } from './item.ts';

/** Stages of what goes its way, or was taken back. */
type PlainStage = 'accepted' | 'duplicate' | 'cancelled' | 'sent' | 'delivered';

/** Every other stage says why in a word. */
export type Outcome = Told & (Plain | Coded | Tested);

interface Plain {
  readonly stage: PlainStage;
  readonly code?: undefined;
}

interface Coded {
  readonly stage: Exclude<Stage, PlainStage | 'tested'>;
  readonly code: ReceiptCode;
}

interface Tested {
  readonly stage: 'tested';
  /** Why it would be refused, if it would. */
  readonly code: ReceiptCode | undefined;
}

interface Told {
  readonly action: Action;
  readonly message: string;
  /** The end of the message, where it names the folder for documents that replace others. */
  readonly advice?: (overwrite: string) => string;
  readonly integrationId?: string | null;
  /** An accepted item that is the same as another, whose receipt was reported already: there is no second one. */
  readonly duplicateOf?: string;
  readonly findings?: readonly Finding[];
  readonly error?: { readonly status: number; readonly type: string; readonly data: string };
  readonly answer?: NetworkAnswer;
  /** What is suggested in place of a refused document. */
  readonly repaired?: Repaired;
  /** What could be read of a document whose head is not known. */
  readonly seen?: SeenHead | null;
}

/** What a receipt is about: an item, an upload that waits for its real name, or one that was only tested. */
export type Subject = Pick<Item, 'item' | 'accountRegNo' | 'home' | 'login' | 'fileName' | 'sha256' | 'receivedAt' | 'head'>;

/** The state that a stage leaves, and the folder that the original goes to; a held original stays in the spool. */
interface End {
  readonly state: EndState;
  readonly folder: 'accepted' | 'refused' | null;
}

/** Stages that end an item. */
const ENDS: Readonly<Partial<Record<Stage, End>>> = {
  accepted: { state: 'accepted', folder: 'accepted' },
  duplicate: { state: 'accepted', folder: 'accepted' },
  refused: { state: 'refused', folder: 'refused' },
  held: { state: 'held', folder: null },
  cancelled: { state: 'cancelled', folder: 'refused' },
};

/** Throws a RangeError for a stage that ends no item. */
export function endOf(stage: Stage): End {
  const end = ENDS[stage];
  if (!end) throw new RangeError(`${stage} ends no item`);
  return end;
}
