// The code lists of Peppol billing that no other rules use.
import { MEANT_INVOICE_TYPES } from '#rules/codes/meant.ts';
import { codeList } from '#rules/engine/codes.ts';

export const INVOICE_TYPES = codeList(
  'type of an invoice in Peppol billing',
  '71 80 82 84 102 218 219 326 331 380 382 383 384 386 388 393 395 553 575 623 780 817 870 875 876 877',
  MEANT_INVOICE_TYPES,
);
export const CREDIT_NOTE_TYPES = codeList('type of a credit note in Peppol billing', '381 396 81 83 532');

export const SELF_BILLED_INVOICE_TYPES = codeList('type of a self-billed invoice', '389 527');
export const SELF_BILLED_CREDIT_NOTE_TYPES = codeList('type of a self-billed credit note', '261');
