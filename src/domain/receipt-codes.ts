// The codes of receipts: why a file was refused, or has not gone its way, in one word that a program decides by. The list is closed, and docs/erp.md
// tells each.
import { UNREADABLE_CODES } from './unreadable.ts';

export const RECEIPT_CODES = [
  ...UNREADABLE_CODES,
  // What stands in the document, or was done with the file.
  'envelope-differs',
  'head-incomplete',
  'rule',
  'sender-not-yours',
  'too-large',
  'temporary-name',
  // An order that was moved to be answered.
  'order-not-received',
  'order-not-answerable',
  'order-answered',
  // What the service, or the network, has said.
  'number-taken',
  'number-of-another',
  'receiver-unknown',
  'receiver-unreachable',
  'service-refused',
  'service-silent',
  'receiver-rejected',
  'not-delivered',
  'turned-away',
  // What waits, or what a person looks at.
  'waits',
  'outcome-unknown',
  'account-unlinked',
  'bytes-changed',
  'bytes-lost',
] as const;
export type ReceiptCode = (typeof RECEIPT_CODES)[number];
