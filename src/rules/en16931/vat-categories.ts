// The table of VAT categories: what EN 16931 asks of each.
import { isNotNegative } from '#rules/common/signs.ts';
import { decimalOf } from '#ubl/decimal.ts';
import type { TaxNumbers } from './tax-numbers.ts';

/** The tax rate that belongs to a category. */
export interface Rate {
  readonly allows: (percent: string) => boolean;
  readonly wanted: string;
}

const ZERO_RATE: Rate = { allows: (percent) => decimalOf(percent)?.units === 0n, wanted: '0' };
const ABOVE_ZERO: Rate = { allows: (percent) => (decimalOf(percent)?.units ?? 0n) > 0n, wanted: 'above 0' };
const ZERO_OR_MORE: Rate = { allows: isNotNegative, wanted: '0 or more' };

/** Which numbers of seller and buyer a category asks for, and what to do when they are not as asked. */
export interface Numbering {
  readonly holds: (numbers: TaxNumbers) => boolean;
  readonly problem: string;
  readonly remedy: string;
}

const SELLERS_VAT_NUMBER = "the seller's VAT number to cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme/cbc:CompanyID";
const BUYERS_VAT_NUMBER = "the buyer's VAT number to cac:AccountingCustomerParty/cac:Party/cac:PartyTaxScheme/cbc:CompanyID";
const REPRESENTATIVES = '(or that of a cac:TaxRepresentativeParty)';

const SELLER_KNOWN: Numbering = {
  holds: ({ seller, representativeVat }) => seller || representativeVat,
  problem: 'the seller has no tax number',
  remedy: `add ${SELLERS_VAT_NUMBER} ${REPRESENTATIVES}`,
};
const SELLER_VAT: Numbering = {
  holds: ({ sellerVat, representativeVat }) => sellerVat || representativeVat,
  problem: 'the seller has no VAT number',
  remedy: `add ${SELLERS_VAT_NUMBER}, with the tax scheme VAT ${REPRESENTATIVES}`,
};
const BOTH_KNOWN: Numbering = {
  holds: (numbers) => SELLER_KNOWN.holds(numbers) && (numbers.buyerVat || numbers.buyerLegal),
  problem: 'the seller has no tax number, or the buyer none at all',
  remedy: `add ${SELLERS_VAT_NUMBER} ${REPRESENTATIVES}, and ${BUYERS_VAT_NUMBER} or its number in the register to cac:PartyLegalEntity/cbc:CompanyID`,
};
const BOTH_VAT: Numbering = {
  holds: (numbers) => SELLER_VAT.holds(numbers) && numbers.buyerVat,
  problem: 'the seller or the buyer has no VAT number',
  remedy: `add ${SELLERS_VAT_NUMBER} ${REPRESENTATIVES}, and ${BUYERS_VAT_NUMBER}`,
};
const NO_VAT_NUMBERS: Numbering = {
  holds: ({ sellerVat, representativeVat, buyerVat }) => !sellerVat && !representativeVat && !buyerVat,
  problem: 'seller, buyer or tax representative has a VAT number',
  remedy: 'take out the VAT numbers of seller, tax representative and buyer, or choose the category that fits',
};

/** How the uses of a category and the VAT breakdown belong together, and whether the tax scheme must be VAT to count. */
export type Breakdown = 'exactly once' | 'once a rate' | 'once a rate, any scheme' | 'once a rate, any scheme below it';

export interface Category {
  readonly code: string;
  /** What the ids of its rules begin with. */
  readonly ids: string;
  readonly name: string;
  readonly breakdown: Breakdown;
  /** Undefined where no rate may be given. */
  readonly rate: Rate | undefined;
  readonly numbering: Numbering;
  /** A reason why no VAT is charged is needed; otherwise there must be none. */
  readonly exempt: boolean;
}

const ONCE = { breakdown: 'exactly once', rate: ZERO_RATE } as const;

export const CATEGORIES: readonly Category[] = [
  {
    code: 'S',
    ids: 'BR-S',
    name: 'standard rate',
    breakdown: 'once a rate, any scheme',
    rate: ABOVE_ZERO,
    numbering: SELLER_KNOWN,
    exempt: false,
  },
  { ...ONCE, code: 'Z', ids: 'BR-Z', name: 'zero rate', numbering: SELLER_KNOWN, exempt: false },
  { ...ONCE, code: 'E', ids: 'BR-E', name: 'exempt from VAT', numbering: SELLER_KNOWN, exempt: true },
  { ...ONCE, code: 'AE', ids: 'BR-AE', name: 'reverse charge', numbering: BOTH_KNOWN, exempt: true },
  { ...ONCE, code: 'K', ids: 'BR-IC', name: 'intra-community supply', numbering: BOTH_VAT, exempt: true },
  { ...ONCE, code: 'G', ids: 'BR-G', name: 'export', numbering: SELLER_VAT, exempt: true },
  { ...ONCE, code: 'O', ids: 'BR-O', name: 'not subject to VAT', rate: undefined, numbering: NO_VAT_NUMBERS, exempt: true },
  {
    code: 'L',
    ids: 'BR-AF',
    name: 'IGIC of the Canary Islands',
    breakdown: 'once a rate, any scheme below it',
    rate: ZERO_OR_MORE,
    numbering: SELLER_KNOWN,
    exempt: false,
  },
  {
    code: 'M',
    ids: 'BR-AG',
    name: 'IPSI of Ceuta and Melilla',
    breakdown: 'once a rate',
    rate: ZERO_OR_MORE,
    numbering: SELLER_KNOWN,
    exempt: false,
  },
];
