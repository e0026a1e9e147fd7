// The table of VAT categories: what EN 16931 asks of each.
import { isNotNegative } from '#rules/common/signs.ts';
import { decimalOf } from '#ubl/decimal.ts';
import { BUYER, SELLER } from './places.ts';
import type { TaxNumbers } from './tax-numbers.ts';

/** The tax rate that belongs to a category. */
interface Rate {
  readonly allows: (percent: string) => boolean;
  readonly wanted: string;
}

const ZERO_RATE: Rate = { allows: (percent) => decimalOf(percent)?.units === 0n, wanted: '0' };
const ABOVE_ZERO: Rate = { allows: (percent) => (decimalOf(percent)?.units ?? 0n) > 0n, wanted: 'above 0' };
const ZERO_OR_MORE: Rate = { allows: isNotNegative, wanted: '0 or more' };

/** Something that a category asks of the numbers of seller and buyer, and what to do when it is not so. */
export interface Need {
  readonly holds: (numbers: TaxNumbers) => boolean;
  readonly problem: string;
  readonly remedy: string;
  /** Where that is to be done, from the document element. */
  readonly at: string;
}

const REPRESENTATIVE = 'cac:TaxRepresentativeParty';
const REPRESENTATIVES = `(or that of a ${REPRESENTATIVE})`;
const NUMBER = 'cac:PartyTaxScheme/cbc:CompanyID';

const SELLER_KNOWN: Need = {
  holds: ({ seller, representativeVat }) => seller || representativeVat,
  problem: 'the seller has no tax number',
  remedy: `add the seller's VAT number to ${SELLER}/${NUMBER} ${REPRESENTATIVES}`,
  at: `${SELLER}/${NUMBER}`,
};
const SELLER_VAT: Need = {
  holds: ({ sellerVat, representativeVat }) => sellerVat || representativeVat,
  problem: 'the seller has no VAT number',
  remedy: `add it to ${SELLER}/${NUMBER}, with the tax scheme VAT ${REPRESENTATIVES}`,
  at: `${SELLER}/${NUMBER}`,
};
const BUYER_KNOWN: Need = {
  holds: ({ buyerVat, buyerLegal }) => buyerVat || buyerLegal,
  problem: 'the buyer has neither a VAT number nor one in a register of companies',
  remedy: `add the VAT number to ${BUYER}/${NUMBER}, or the other one to cac:PartyLegalEntity/cbc:CompanyID`,
  at: `${BUYER}/${NUMBER}`,
};
const BUYER_VAT: Need = {
  holds: ({ buyerVat }) => buyerVat,
  problem: 'the buyer has no VAT number',
  remedy: `add it to ${BUYER}/${NUMBER}, with the tax scheme VAT`,
  at: `${BUYER}/${NUMBER}`,
};

function nobody(who: string, party: string, holds: Need['holds']): Need {
  const remedy = `take its cac:PartyTaxScheme out, or choose the category that fits`;
  return { holds, problem: `${who} has a VAT number`, remedy, at: `${party}/${NUMBER}` };
}

const NO_VAT_NUMBERS: readonly Need[] = [
  nobody('the seller', SELLER, ({ sellerVat }) => !sellerVat),
  nobody('the tax representative', REPRESENTATIVE, ({ representativeVat }) => !representativeVat),
  nobody('the buyer', BUYER, ({ buyerVat }) => !buyerVat),
];

/** How the uses of a category and the VAT breakdown belong together, and whether the tax scheme must be VAT to count. */
type Breakdown = 'exactly once' | 'once a rate' | 'once a rate, any scheme' | 'once a rate, any scheme below it';

export interface Category {
  readonly code: string;
  /** What the ids of its rules begin with. */
  readonly ids: string;
  readonly name: string;
  readonly breakdown: Breakdown;
  /** Undefined where no rate may be given. */
  readonly rate: Rate | undefined;
  /** All of them. */
  readonly needs: readonly Need[];
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
    needs: [SELLER_KNOWN],
    exempt: false,
  },
  { ...ONCE, code: 'Z', ids: 'BR-Z', name: 'zero rate', needs: [SELLER_KNOWN], exempt: false },
  { ...ONCE, code: 'E', ids: 'BR-E', name: 'exempt from VAT', needs: [SELLER_KNOWN], exempt: true },
  { ...ONCE, code: 'AE', ids: 'BR-AE', name: 'reverse charge', needs: [SELLER_KNOWN, BUYER_KNOWN], exempt: true },
  { ...ONCE, code: 'K', ids: 'BR-IC', name: 'intra-community supply', needs: [SELLER_VAT, BUYER_VAT], exempt: true },
  { ...ONCE, code: 'G', ids: 'BR-G', name: 'export', needs: [SELLER_VAT], exempt: true },
  { ...ONCE, code: 'O', ids: 'BR-O', name: 'not subject to VAT', rate: undefined, needs: NO_VAT_NUMBERS, exempt: true },
  {
    code: 'L',
    ids: 'BR-AF',
    name: 'IGIC of the Canary Islands',
    breakdown: 'once a rate, any scheme below it',
    rate: ZERO_OR_MORE,
    needs: [SELLER_KNOWN],
    exempt: false,
  },
  {
    code: 'M',
    ids: 'BR-AG',
    name: 'IPSI of Ceuta and Melilla',
    breakdown: 'once a rate',
    rate: ZERO_OR_MORE,
    needs: [SELLER_KNOWN],
    exempt: false,
  },
];
