// Punch-out (T77): the cart that a buyer filled in a seller's shop, as a catalogue.
import { BOOLEANS } from '#rules/orders/codes/lists.ts';
import {
  certificate,
  countryIfKnown,
  IDENTIFICATION,
  ITEM_DOCUMENT,
  ITEM_NUMBERS,
  LEGAL_NAME,
  MANUFACTURER,
  PROPERTY_ID,
  place,
  property,
  TAX_SCHEME,
} from '#rules/orders/outline/groups.ts';
import { amount, classification, code, constant, endpoint, group, mandatory, quantity } from '#rules/orders/outline/parts.ts';
import { customized } from '#rules/orders/rules/header.ts';
import { PUNCH_OUT_RULES } from '#rules/orders/rules/of-punch-out.ts';
import { ruleSetOf } from './transaction.ts';

const PARTY = [endpoint('cbc:EndpointID'), IDENTIFICATION, mandatory(LEGAL_NAME)];

const ITEM = group('cac:Item!', [
  'cbc:Description cbc:Name!',
  ...ITEM_NUMBERS,
  ITEM_DOCUMENT,
  countryIfKnown('cac:OriginCountry'),
  group('cac:CommodityClassification', [classification('cbc:ItemClassificationCode!')]),
  group('cac:TransactionConditions', ['cbc:ActionCode!']),
  group('cac:ClassifiedTaxCategory!', ['cbc:ID! cbc:Percent!', TAX_SCHEME]),
  property([PROPERTY_ID]),
  MANUFACTURER,
  certificate(constant('cbc:CertificateTypeCode!', 'NA')),
]);

const OUTLINE = group('Catalogue', [
  'cbc:CustomizationID!',
  constant('cbc:ProfileID!', 'urn:fdc:peppol.eu:poacc:bis:punch_out:3'),
  'cbc:ID!',
  code('cbc:ActionCode', BOOLEANS),
  'cbc:IssueDate! cbc:IssueTime!',
  group('cac:ValidityPeriod', ['cbc:EndDate! cbc:EndTime']),
  group('cac:ReferencedContract', ['cbc:ID']),
  group('cac:ProviderParty!', PARTY),
  group('cac:ReceiverParty!', [...PARTY, group('cac:Contact', ['cbc:ID'])]),
  group('cac:CatalogueLine!', [
    'cbc:ID! cbc:ContractSubdivision',
    group('cac:LineValidityPeriod', ['cbc:StartDate cbc:EndDate cbc:EndTime']),
    group('cac:RequiredItemLocationQuantity!', [
      quantity('cbc:LeadTimeMeasure'),
      place('cac:ApplicableTerritoryAddress'),
      group('cac:Price!', [amount('cbc:PriceAmount!'), quantity('cbc:BaseQuantity'), 'cbc:PriceType']),
      group('cac:DeliveryUnit!', [quantity('cbc:BatchQuantity!')]),
    ]),
    ITEM,
  ]),
]);

const RULES = [customized('PEPPOL-T77-R010', 'urn:fdc:peppol.eu:poacc:trns:punch_out:3'), ...PUNCH_OUT_RULES];

export const PUNCH_OUT = ruleSetOf({ name: 'punch-out', number: 'T77', outline: OUTLINE, rules: RULES });
