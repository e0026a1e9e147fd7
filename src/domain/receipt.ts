// The receipt: the file that tells the dropper what became of its file, and what to do.
import type { Finding } from './document.ts';
import type { ReceiptCode } from './receipt-codes.ts';
import { EXTENSIONS, type ReceiptForm } from './receipt-forms.ts';

/** What became of a file, and, once the service has it, what the network did with it. */
export type Stage =
  | 'accepted'
  | 'refused'
  | 'duplicate'
  | 'delayed'
  | 'held'
  | 'waiting'
  | 'cancelled'
  | 'turned-away'
  | 'tested'
  | NetworkStage;

export const NETWORK_STAGES = ['sent', 'delivered', 'rejected', 'failed'] as const;
export type NetworkStage = (typeof NETWORK_STAGES)[number];

/** What the dropper has to do: nothing; repair the document; send it again as it is; rename it; wait for another receipt. */
export type Action = 'none' | 'fix' | 'resend' | 'rename' | 'wait';

/** The same in words. */
export const ADVICE: Readonly<Record<Action, string>> = {
  none: 'Nothing: the document is delivered or under way.',
  fix: "Repair the document and put it again, under the same number if you like; 'findings' says what is wrong.",
  resend: 'Put the same file again.',
  rename: 'Rename the file to its real name, or put it again.',
  wait: 'Do nothing, and do not send it again.',
};

export interface Receipt {
  readonly receipt: 1;
  readonly stage: Stage;
  readonly action: Action;
  /** Why, in a word; null where all goes its way. */
  readonly code: ReceiptCode | null;
  /** The name under which the file was dropped. */
  readonly file: string;
  readonly sha256: string;
  /** RFC 3339, UTC. */
  readonly receivedAt: string;
  /** When it came to this stage: RFC 3339, UTC. */
  readonly at: string;
  readonly accountRegNo: string;
  readonly family: string | null;
  readonly documentId: string | null;
  readonly sender: string | null;
  readonly receiver: string | null;
  readonly integrationId: string | null;
  /** One sentence for a person. */
  readonly message: string;
  readonly findings: readonly GroupedFinding[];
  /** The answer of the service, when it was the service that said no. */
  readonly error: { readonly status: number; readonly type: string; readonly data: string } | null;
  /** What the receiver's side has answered, where that decided; what it says about places of the document is among the findings. */
  readonly answer: NetworkAnswer | null;
  /** A document beside the refused one in which only forms are repaired. It is not sent, unless somebody moves it into the inbox. */
  readonly suggested?: Suggested;
}

export interface Suggested {
  /** Its name. */
  readonly file: string;
  /** All that it has other than the refused document. */
  readonly changes: readonly RepairedValue[];
}

/** A value that a suggested repair writes in another form. */
export interface RepairedValue {
  /** As findings have it; of an attribute `…/@schemeID`. */
  readonly path: string;
  /** As it was dropped; null for an attribute that is missing there. */
  readonly from: string | null;
  readonly to: string;
}

/** A document whose forms are repaired. */
export interface Repaired {
  readonly document: Uint8Array;
  /** All that it has other than the document that was given. */
  readonly changes: readonly RepairedValue[];
}

/** Longer documents are not repaired: they would be judged several times. */
export const REPAIR_BYTES_MAX = 2 * 1024 * 1024;

/** A finding with what else is wrong for the same cause. */
export interface GroupedFinding extends Finding {
  /** Other rules that have found the same. */
  readonly rules?: readonly string[];
  /** Other places of the same mistake. */
  readonly places?: readonly Pick<Finding, 'path' | 'pointer' | 'line' | 'column'>[];
  /** What is most likely right once this is repaired. */
  readonly follows?: readonly GroupedFinding[];
}

/** An answer from the network: of which kind (`mls`), its code, its words, and when it came (RFC 3339, UTC). */
export interface NetworkAnswer {
  readonly kind: string;
  readonly code: string;
  readonly text: string | null;
  readonly at: string;
}

/** `NAME.ITEM8.stage.json`, or with the ending of another form. */
export function receiptName(fileName: string, shortItem: string, stage: Stage, form: ReceiptForm): string {
  return `${fileName}.${shortItem}.${stage}.${EXTENSIONS[form]}`;
}
