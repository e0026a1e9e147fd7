// The currency of a document, in which most of its amounts are.
import { fact, texts } from '#rules/engine/select.ts';

/** As they are written; a document has one. */
export const documentCurrencies = fact((root) => texts(root, 'cbc:DocumentCurrencyCode'));
