// The numbers by which tax offices know those who take part.
import { isVat } from '#rules/common/tax-scheme.ts';
import { all, fact, has } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { BUYER, SELLER } from './places.ts';

export type TaxNumbers = ReturnType<typeof taxNumbersOf>;

export const taxNumbersOf = fact((root) => ({
  /** Any number of the seller, for VAT or for another tax. */
  seller: has(root, `${SELLER}/cac:PartyTaxScheme/cbc:CompanyID`),
  sellerVat: hasVatNumber(root, `${SELLER}/cac:PartyTaxScheme`),
  representativeVat: hasVatNumber(root, 'cac:TaxRepresentativeParty/cac:PartyTaxScheme'),
  buyerVat: hasVatNumber(root, `${BUYER}/cac:PartyTaxScheme`),
  /** In the register of companies. */
  buyerLegal: has(root, `${BUYER}/cac:PartyLegalEntity/cbc:CompanyID`),
}));

/** One of the tax schemes at the path is VAT, and has a number. */
export function hasVatNumber(node: XmlElement, path: string): boolean {
  return all(node, path).some((scheme) => has(scheme, 'cbc:CompanyID') && isVat(scheme));
}
