// Which countries the parties of a document are from; the national rules ask it in three ways.
import { BUYER, SELLER } from '#rules/en16931/places.ts';
import type { Test } from '#rules/engine/rule.ts';
import { all, fact, normalized, text, texts } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { REPRESENTATIVE } from './places.ts';

interface Countries {
  /** The first two letters of the seller's VAT number, else of its tax representative's, else its address: in capitals. */
  readonly seller: string;
  /** Without the tax representative. */
  readonly sellerItself: string;
  readonly buyer: string;
}

export const countriesOf: (root: XmlElement) => Countries = fact((root) => {
  const sellerAddress = plain(addressOf(root, SELLER));
  const sellerNumber = vatCountry(root, SELLER);
  return {
    seller: sellerNumber ?? vatCountry(root, REPRESENTATIVE) ?? sellerAddress,
    sellerItself: sellerNumber ?? sellerAddress,
    buyer: vatCountry(root, BUYER) ?? plain(addressOf(root, BUYER)),
  };
});

/** The country of the address, as it is written. */
interface Addresses {
  readonly seller: string;
  readonly buyer: string;
  readonly representative: string;
}

const addressesOf: (root: XmlElement) => Addresses = fact((root) => ({
  seller: addressOf(root, SELLER),
  buyer: addressOf(root, BUYER),
  representative: addressOf(root, REPRESENTATIVE),
}));

/** The addresses of these parties are in the country, and its code is written exactly so. */
export function writtenIn(country: string, ...parties: (keyof Addresses)[]): Test {
  return (_node, root) => parties.every((party) => addressesOf(root)[party] === country);
}

/** The same, but small letters and white space do not matter. */
export function locatedIn(country: string, ...parties: (keyof Addresses)[]): Test {
  return (_node, root) => parties.every((party) => plain(addressesOf(root)[party]) === country);
}

/** The numbers that the party has under VAT, as they are written. */
export function vatNumbers(node: XmlElement, party: string): readonly string[] {
  return vatSchemes(node, party).flatMap((scheme) => texts(scheme, 'cbc:CompanyID'));
}

function vatSchemes(node: XmlElement, party: string): readonly XmlElement[] {
  const schemes = all(node, party === '.' ? 'cac:PartyTaxScheme' : `${party}/cac:PartyTaxScheme`);
  return schemes.filter((scheme) => texts(scheme, 'cac:TaxScheme/cbc:ID').includes('VAT'));
}

/** Of several registrations the official rules cannot tell the country: no national rule is asked then. */
const NO_COUNTRY = '';

function vatCountry(root: XmlElement, party: string): string | undefined {
  const [number = '', ...more] = vatNumbers(root, party);
  if (more.length > 0 || vatSchemes(root, party).length > 1) return NO_COUNTRY;
  return number === '' ? undefined : plain(number.slice(0, 2));
}

function addressOf(root: XmlElement, party: string): string {
  return text(root, `${party}/cac:PostalAddress/cac:Country/cbc:IdentificationCode`) ?? '';
}

function plain(country: string): string {
  return normalized(country).toUpperCase();
}
