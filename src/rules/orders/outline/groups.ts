// Groups of parts that many transactions have: parties, addresses, periods, attachments, items.
import { COUNTRIES } from '#rules/codes/countries.ts';
import { ICD } from '#rules/codes/identifier-schemes.ts';
import { MEDIA_TYPES_ORDERS } from '#rules/codes/media-types.ts';
import { UNITS } from '#rules/codes/units.ts';
import { BOOLEANS, ITEM_DOCUMENT_TYPES, REASONS } from '#rules/orders/codes/lists.ts';
import type { Part } from './outline.ts';
import {
  amount,
  attribute,
  attributed,
  classification,
  code,
  constant,
  type Entry,
  group,
  identifier,
  quantity,
  reference,
} from './parts.ts';

export const PERIOD = 'cbc:StartDate cbc:StartTime cbc:EndDate cbc:EndTime';

export const IDENTIFICATION = group('cac:PartyIdentification', [identifier('cbc:ID!')]);
export const NAME = group('cac:PartyName', ['cbc:Name!']);
export const LEGAL_NAME = group('cac:PartyLegalEntity', ['cbc:RegistrationName!']);

export const contact = (name: string): Part => group(name, ['cbc:Name cbc:Telephone cbc:ElectronicMail']);
export const CONTACT = contact('cac:Contact');

export const country = (name: string): Part => group(name, [code('cbc:IdentificationCode!', COUNTRIES)]);
/** Where even the code may be left out. */
export const countryIfKnown = (name: string): Part => group(name, [code('cbc:IdentificationCode', COUNTRIES)]);

const STREET_AND_CITY = 'cbc:StreetName cbc:AdditionalStreetName cbc:CityName cbc:PostalZone cbc:CountrySubentity';
const FURTHER_LINE = group('cac:AddressLine', ['cbc:Line']);

export const address = (name: string): Part => group(name, [STREET_AND_CITY, FURTHER_LINE, country('cac:Country!')]);
/** Where goods go: a further line has to say something. */
export const destination = (name: string): Part =>
  group(name, [STREET_AND_CITY, group('cac:AddressLine', ['cbc:Line!']), country('cac:Country!')]);
/** An area or a place whose country may be left out. */
export const place = (name: string, ...identified: readonly Entry[]): Part =>
  group(name, [...identified, STREET_AND_CITY, FURTHER_LINE, country('cac:Country')]);

export const DELIVERY_PARTY: readonly Part[] = [
  IDENTIFICATION,
  group('cac:PartyName!', ['cbc:Name!']),
  destination('cac:PostalAddress'),
  CONTACT,
];

const EMBEDDED = attributed('cbc:EmbeddedDocumentBinaryObject', attribute('mimeCode!', MEDIA_TYPES_ORDERS), attribute('filename!'));
/** The address of what is attached may be left out in some transactions. */
export const attachment = (uri: 'cbc:URI!' | 'cbc:URI'): Part => group('cac:Attachment', [EMBEDDED, group('cac:ExternalReference', [uri])]);
export const ADDITIONAL_DOCUMENT = group('cac:AdditionalDocumentReference', ['cbc:ID! cbc:DocumentType', attachment('cbc:URI!')]);

export const TAX_SCHEME = group('cac:TaxScheme!', ['cbc:ID!']);
export const TAX_CATEGORY = group('cac:TaxCategory', ['cbc:ID! cbc:Percent', TAX_SCHEME]);
export const CLASSIFIED_TAX = group('cac:ClassifiedTaxCategory', ['cbc:ID! cbc:Percent', TAX_SCHEME]);

/** Of a whole document; only some transactions insist on words for the reason, or on the tax. */
export const documentAllowance = (reason: 'cbc:AllowanceChargeReason!' | 'cbc:AllowanceChargeReason', tax: Part): Part =>
  group('cac:AllowanceCharge', [
    code('cbc:ChargeIndicator!', BOOLEANS),
    code('cbc:AllowanceChargeReasonCode', REASONS),
    `${reason} cbc:MultiplierFactorNumeric`,
    amount('cbc:Amount! cbc:BaseAmount'),
    tax,
  ]);
export const LINE_ALLOWANCE = group('cac:AllowanceCharge', [
  'cbc:ChargeIndicator!',
  code('cbc:AllowanceChargeReasonCode', REASONS),
  'cbc:AllowanceChargeReason cbc:MultiplierFactorNumeric',
  amount('cbc:Amount! cbc:BaseAmount'),
]);
/** The unit of the base quantity may be left out: it is that of the line. */
export const price = (name: string, ...more: readonly Entry[]): Part =>
  group(name, [
    amount('cbc:PriceAmount!'),
    attributed('cbc:BaseQuantity', attribute('unitCode', UNITS)),
    ...more,
    group('cac:AllowanceCharge', [constant('cbc:ChargeIndicator!', 'false'), amount('cbc:Amount!'), amount('cbc:BaseAmount')]),
  ]);

export const BUYERS_ITEM = reference('cac:BuyersItemIdentification');
export const SELLERS_ITEM = reference('cac:SellersItemIdentification');
const MANUFACTURERS_ITEM = reference('cac:ManufacturersItemIdentification');
export const STANDARD_ITEM = group('cac:StandardItemIdentification', [attributed('cbc:ID!', attribute('schemeID!', ICD))]);
/** Every number that an item may have. */
export const ITEM_NUMBERS: readonly Entry[] = [BUYERS_ITEM, SELLERS_ITEM, MANUFACTURERS_ITEM, STANDARD_ITEM];

/** What is attached to an item that is offered. */
export const ITEM_DOCUMENT = group('cac:ItemSpecificationDocumentReference', [
  'cbc:ID!',
  code('cbc:DocumentTypeCode', ITEM_DOCUMENT_TYPES),
  'cbc:DocumentDescription',
  attachment('cbc:URI!'),
]);

export const COMMODITY = group('cac:CommodityClassification', [classification('cbc:ItemClassificationCode')]);

export const PROPERTY_ID = attributed('cbc:ID', attribute('schemeID'), attribute('schemeVersionID'), attribute('schemeDataURI'));
export const property = (identified: readonly Entry[], value: Entry = 'cbc:Value!'): Part =>
  group('cac:AdditionalItemProperty', [
    ...identified,
    'cbc:Name!',
    attributed('cbc:NameCode', attribute('listID!')),
    value,
    quantity('cbc:ValueQuantity'),
    'cbc:ValueQualifier',
  ]);

export const certificate = (type: Part): Part =>
  group('cac:Certificate', [
    'cbc:ID!',
    type,
    'cbc:CertificateType! cbc:Remarks',
    group('cac:IssuerParty!', [group('cac:PartyName!', ['cbc:Name!'])]),
    reference('cac:DocumentReference'),
  ]);
export const MANUFACTURER = group('cac:ManufacturerParty', [group('cac:PartyName!', ['cbc:Name!'])]);
