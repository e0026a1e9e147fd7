// Which country an identifier scheme of electronic addresses (ISO 6523 and EAS) belongs to. Schemes of the whole world, such as GLN, are of none.

/** By country, ISO 3166-1. */
const SCHEMES: Readonly<Record<string, string>> = {
  AD: '9922',
  AE: '0235',
  AL: '9923',
  AT: '9914 9915 9919',
  AU: '0151',
  BA: '9924',
  BE: '0208 9925',
  BG: '9926',
  CH: '0183 9927',
  CY: '9928',
  CZ: '9929',
  DE: '0204 0246 9930',
  DK: '0096 0184 0198',
  EE: '0191 9931',
  ES: '9920',
  FI: '0037 0212 0213 0215 0216',
  FR: '0002 0009 0225 9957',
  GB: '9932',
  GR: '9933',
  HR: '9934',
  HU: '9910',
  IE: '9935',
  IS: '0196',
  IT: '0097 0135 0142 0201 0210 0211',
  JP: '0188 0221',
  LI: '9936',
  LT: '0200 9937',
  LU: '0240 9938',
  LV: '0218 9939',
  MC: '9940',
  ME: '9941',
  MK: '9942',
  MT: '9943',
  MY: '0230',
  NL: '0106 0190 9944',
  NO: '0192',
  PL: '9945',
  PT: '9946',
  RO: '9947',
  RS: '9948',
  SE: '0007',
  SG: '0195',
  SI: '9949',
  SK: '0245 9950',
  SM: '9951',
  TR: '9952',
  VA: '9953',
  US: '9959',
};

const COUNTRIES = new Map(
  Object.entries(SCHEMES).flatMap(([country, schemes]) => schemes.split(' ').map((scheme) => [scheme, country] as const)),
);

/** Two letters; null where the scheme says none. */
export function countryOfScheme(scheme: string): string | null {
  return COUNTRIES.get(scheme) ?? null;
}
