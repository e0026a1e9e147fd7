// Catalogue (T19): what a seller offers.

import { UNITS } from '#rules/codes/units.ts';
import { CERTIFICATE_TYPES } from '#rules/orders/codes/certificates.ts';
import {
  BOOLEANS,
  CATALOGUE_ACTIONS,
  DANGEROUS_GOODS,
  ITEM_DIMENSIONS,
  LINE_ACTIONS,
  PACK_LEVELS,
  PRICE_TYPES,
  TRANSACTION_CONDITIONS,
} from '#rules/orders/codes/lists.ts';
import {
  address,
  CLASSIFIED_TAX,
  CONTACT,
  certificate,
  country,
  countryIfKnown,
  IDENTIFICATION,
  ITEM_DOCUMENT,
  ITEM_NUMBERS,
  MANUFACTURER,
  NAME,
  PROPERTY_ID,
  place,
  property,
} from '#rules/orders/outline/groups.ts';
import type { Part } from '#rules/orders/outline/outline.ts';
import {
  amount,
  attribute,
  attributed,
  classification,
  code,
  endpoint,
  group,
  identifier,
  quantity,
  reference,
} from '#rules/orders/outline/parts.ts';
import { customized, ofProcess } from '#rules/orders/rules/header.ts';
import { CATALOGUE_RULES } from '#rules/orders/rules/of-catalogue.ts';
import { ruleSetOf } from './transaction.ts';

const DAYS = 'cbc:StartDate cbc:EndDate';

const legalEntity = (registered: Part): Part =>
  group('cac:PartyLegalEntity!', [
    'cbc:RegistrationName!',
    identifier('cbc:CompanyID'),
    group('cac:RegistrationAddress', ['cbc:CityName', registered]),
  ]);

const related = (name: string): Part => group(name, ['cbc:ID', quantity('cbc:Quantity')]);

const PRICES = group('cac:RequiredItemLocationQuantity', [
  quantity('cbc:LeadTimeMeasure cbc:MinimumQuantity cbc:MaximumQuantity'),
  place('cac:ApplicableTerritoryAddress'),
  group('cac:Price', [
    amount('cbc:PriceAmount!'),
    quantity('cbc:BaseQuantity'),
    code('cbc:PriceType', PRICE_TYPES),
    'cbc:OrderableUnitFactorRate',
    group('cac:ValidityPeriod', [DAYS]),
  ]),
]);

const ITEM = group('cac:Item!', [
  'cbc:Description',
  quantity('cbc:PackQuantity'),
  'cbc:PackSizeNumeric cbc:Name! cbc:Keyword cbc:BrandName',
  ...ITEM_NUMBERS,
  ITEM_DOCUMENT,
  country('cac:OriginCountry'),
  group('cac:CommodityClassification', [classification('cbc:ItemClassificationCode!')]),
  group('cac:TransactionConditions', [code('cbc:ActionCode!', TRANSACTION_CONDITIONS)]),
  group('cac:HazardousItem', [code('cbc:UNDGCode', DANGEROUS_GOODS), 'cbc:HazardClassID']),
  CLASSIFIED_TAX,
  property([PROPERTY_ID], attributed('cbc:Value!', attribute('languageID'))),
  MANUFACTURER,
  group('cac:ItemInstance', ['cbc:BestBeforeDate', group('cac:LotIdentification', ['cbc:LotNumberID'])]),
  certificate(code('cbc:CertificateTypeCode!', CERTIFICATE_TYPES)),
  group('cac:Dimension', [
    code('cbc:AttributeID!', ITEM_DIMENSIONS),
    quantity('cbc:Measure'),
    'cbc:Description',
    quantity('cbc:MinimumMeasure cbc:MaximumMeasure'),
  ]),
]);

const OUTLINE = group('Catalogue', [
  'cbc:CustomizationID! cbc:ProfileID! cbc:ID!',
  code('cbc:ActionCode', CATALOGUE_ACTIONS),
  'cbc:Name cbc:IssueDate! cbc:VersionID',
  group('cac:ValidityPeriod!', [DAYS]),
  reference('cac:ReferencedContract cac:SourceCatalogueReference'),
  group('cac:ProviderParty!', [
    endpoint('cbc:EndpointID!'),
    IDENTIFICATION,
    address('cac:PostalAddress'),
    legalEntity(country('cac:Country')),
  ]),
  group('cac:ReceiverParty!', [
    endpoint('cbc:EndpointID!'),
    IDENTIFICATION,
    address('cac:PostalAddress'),
    legalEntity(countryIfKnown('cac:Country')),
  ]),
  group('cac:SellerSupplierParty', [
    group('cac:Party!', [endpoint('cbc:EndpointID'), IDENTIFICATION, NAME, address('cac:PostalAddress'), CONTACT]),
  ]),
  group('cac:ContractorCustomerParty', [
    group('cac:Party', [endpoint('cbc:EndpointID'), IDENTIFICATION, NAME, address('cac:PostalAddress'), CONTACT]),
  ]),
  group('cac:TradingTerms', ['cbc:Information']),
  group('cac:CatalogueLine!', [
    'cbc:ID!',
    code('cbc:ActionCode', LINE_ACTIONS),
    code('cbc:OrderableIndicator', BOOLEANS),
    code('cbc:OrderableUnit', UNITS),
    quantity('cbc:ContentUnitQuantity'),
    'cbc:OrderQuantityIncrementNumeric',
    quantity('cbc:MinimumOrderQuantity cbc:MaximumOrderQuantity'),
    'cbc:WarrantyInformation',
    code('cbc:PackLevelCode', PACK_LEVELS),
    group('cac:LineValidityPeriod', [DAYS]),
    group('cac:ItemComparison', [amount('cbc:PriceAmount'), quantity('cbc:Quantity')]),
    related('cac:ComponentRelatedItem'),
    related('cac:AccessoryRelatedItem'),
    related('cac:RequiredRelatedItem'),
    related('cac:ReplacedRelatedItem'),
    PRICES,
    ITEM,
  ]),
]);

const RULES = [
  ofProcess('PEPPOL-T19-R017', 'urn:fdc:peppol.eu:poacc:bis:catalogue_only:3', 'urn:fdc:peppol.eu:poacc:bis:catalogue_wo_response:3'),
  customized('PEPPOL-T19-R018', 'urn:fdc:peppol.eu:poacc:trns:catalogue:3'),
  ...CATALOGUE_RULES,
];

export const CATALOGUE = ruleSetOf({ name: 'catalogue', number: 'T19', outline: OUTLINE, rules: RULES });
