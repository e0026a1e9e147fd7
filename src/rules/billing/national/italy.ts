// Italy: tax number and address of an Italian seller.
import { countriesOf } from '#rules/billing/countries.ts';
import { SELLER } from '#rules/en16931/places.ts';
import { required, shown } from '#rules/engine/kinds.ts';
import { context, type Pattern, rule, type Test } from '#rules/engine/rule.ts';
import { trimmed } from '#rules/engine/select.ts';

const italianSeller: Test = (_node, root) => countriesOf(root).seller === 'IT';

export const ITALY: Pattern = [
  context(`${SELLER}/cac:PartyTaxScheme`, (node, root) => italianSeller(node, root) && trimmed(node, 'cac:TaxScheme/cbc:ID') !== 'VAT', [
    rule(
      'IT-R-001',
      (scheme) => /^[A-Z0-9]{11,16}$/.test(trimmed(scheme, 'cbc:CompanyID')),
      (scheme) =>
        `'${shown(trimmed(scheme, 'cbc:CompanyID'))}' is no Italian tax number: write 11 to 16 capital letters or digits into cbc:CompanyID.`,
      'cbc:CompanyID',
    ),
  ]),
  context(SELLER, italianSeller, [
    required('IT-R-002', 'cac:PostalAddress/cbc:StreetName', 'The address of an Italian seller needs a street: add cbc:StreetName.'),
    required('IT-R-003', 'cac:PostalAddress/cbc:CityName', 'The address of an Italian seller needs a city: add cbc:CityName.'),
    required('IT-R-004', 'cac:PostalAddress/cbc:PostalZone', 'The address of an Italian seller needs a postal code: add cbc:PostalZone.'),
  ]),
];
