// Parties that have to be recognisable, and their VAT numbers.
import { codeList } from '#rules/engine/codes.ts';
import { shown } from '#rules/engine/kinds.ts';
import { type Context, context, rule } from '#rules/engine/rule.ts';
import { has, text } from '#rules/engine/select.ts';
import { wordsOf } from '#rules/engine/words.ts';

/** `cac:OriginatorCustomerParty`: its party has a name or an identification. */
export function recognisable(id: string, path: string): Context {
  return context(path, [
    rule(
      id,
      (node) => has(node, 'cac:Party/cac:PartyName/cbc:Name') || has(node, 'cac:Party/cac:PartyIdentification/cbc:ID'),
      `The ${wordsOf(path)} has neither a name nor an identification: add cac:Party/cac:PartyName/cbc:Name or cac:Party/cac:PartyIdentification/cbc:ID.`,
    ),
  ]);
}

/** `cac:BuyerCustomerParty`: its party has a registered name or an identification. */
export function registered(id: string, path: string): Context {
  return context(`${path}/cac:Party`, [
    rule(
      id,
      (node) => has(node, 'cac:PartyLegalEntity/cbc:RegistrationName') || has(node, 'cac:PartyIdentification/cbc:ID'),
      `The ${wordsOf(path)} has neither a registered name nor an identification: add cac:PartyLegalEntity/cbc:RegistrationName or cac:PartyIdentification/cbc:ID.`,
    ),
  ]);
}

/** ISO 3166-1 as it was when the rule was written, with EL for Greece. */
const VAT_COUNTRIES = codeList(
  'country of a VAT number',
  `
  AD AE AF AG AI AL AM AN AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BL BJ BM BN BO BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK
  CL CM CN CO CR CU CV CX CY CZ DE DJ DK DM DO DZ EC EE EG EH EL ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS
  GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV
  LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
  PN PR PS PT PW PY QA RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR ST SV SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW
  TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
  `,
);
/** The official rule looks for the two characters in this very text. */
const VAT_COUNTRIES_TEXT = [...VAT_COUNTRIES.values].join(' ');

export function vatNumberOfCountry(id: string): Context {
  const prefixOf = (number: string | undefined): string => (number ?? '').slice(0, 2);
  return context('cac:PartyTaxScheme', (node) => text(node, 'cac:TaxScheme/cbc:ID') === 'VAT', [
    rule(
      id,
      (node) => VAT_COUNTRIES_TEXT.includes(prefixOf(text(node, 'cbc:CompanyID'))),
      (node) =>
        `The VAT number '${shown(text(node, 'cbc:CompanyID') ?? '')}' does not begin with the code of a country: write it with its two letters (EL for Greece) into cbc:CompanyID.`,
      'cbc:CompanyID',
    ),
  ]);
}
