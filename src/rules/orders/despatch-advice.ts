// Despatch advice (T16): what is on its way.

import { required } from '#rules/engine/kinds.ts';
import { advice, context, warning } from '#rules/engine/rule.ts';
import { has } from '#rules/engine/select.ts';
import { DANGEROUS_GOODS, HANDLING_UNIT_SCHEMES, PARCEL_DIMENSIONS, PRODUCT_TRACES, TRANSPORT_MODES } from '#rules/orders/codes/lists.ts';
import { PACKAGES } from '#rules/orders/codes/packages.ts';
import {
  ADDITIONAL_DOCUMENT,
  address,
  BUYERS_ITEM,
  COMMODITY,
  CONTACT,
  contact,
  DELIVERY_PARTY,
  IDENTIFICATION,
  LEGAL_NAME,
  NAME,
  PERIOD,
  PROPERTY_ID,
  place,
  property,
  STANDARD_ITEM,
} from '#rules/orders/outline/groups.ts';
import { attribute, attributed, code, constant, endpoint, group, mandatory, quantity, reference } from '#rules/orders/outline/parts.ts';
import { customized } from '#rules/orders/rules/header.ts';
import { identifiedItem } from '#rules/orders/rules/items.ts';
import { zeroOrMore } from '#rules/orders/rules/numbers.ts';
import { recognisable } from '#rules/orders/rules/parties.ts';
import { ruleSetOf } from './transaction.ts';

const ADDRESS = address('cac:PostalAddress');
const SENDER = [endpoint('cbc:EndpointID!'), IDENTIFICATION, ADDRESS, mandatory(LEGAL_NAME)];
const NAMED = group('cac:Party!', [IDENTIFICATION, NAME, ADDRESS]);

const DRIVER = group('cac:Person', [group('cac:IdentityDocumentReference!', ['cbc:ID! cbc:DocumentType'])]);

const SHIPMENT = group('cac:Shipment', [
  'cbc:ID! cbc:Information',
  quantity('cbc:GrossWeightMeasure cbc:GrossVolumeMeasure'),
  'cbc:TotalTransportHandlingUnitQuantity',
  group('cac:Consignment', ['cbc:ID! cbc:Information', group('cac:CarrierParty', [IDENTIFICATION, NAME, DRIVER])]),
  group('cac:ShipmentStage', [code('cbc:TransportModeCode!', TRANSPORT_MODES)]),
  group('cac:Delivery', [
    'cbc:TrackingID',
    group('cac:EstimatedDeliveryPeriod', [PERIOD]),
    group('cac:DeliveryParty', DELIVERY_PARTY),
    group('cac:Despatch', ['cbc:ActualDespatchDate cbc:ActualDespatchTime', place('cac:DespatchAddress', 'cbc:ID')]),
  ]),
]);

const ITEM = group('cac:Item!', [
  'cbc:Name!',
  BUYERS_ITEM,
  group('cac:SellersItemIdentification', ['cbc:ID! cbc:ExtendedID']),
  group('cac:StandardItemIdentification', [...STANDARD_ITEM.parts, 'cbc:ExtendedID']),
  COMMODITY,
  group('cac:HazardousItem', [code('cbc:UNDGCode', DANGEROUS_GOODS), 'cbc:HazardClassID']),
  property([PROPERTY_ID]),
  group('cac:ItemInstance', [
    attributed('cbc:ProductTraceID', attribute('schemeID', PRODUCT_TRACES)),
    'cbc:ManufactureDate cbc:BestBeforeDate cbc:SerialID',
    group('cac:AdditionalItemProperty', ['cbc:Name! cbc:Value!']),
    group('cac:LotIdentification', ['cbc:LotNumberID cbc:ExpiryDate']),
  ]),
]);

const PARCEL = group('cac:TransportHandlingUnit', [
  attributed('cbc:ID', attribute('schemeID', HANDLING_UNIT_SCHEMES)),
  code('cbc:TransportHandlingUnitTypeCode', PACKAGES),
  'cbc:HazardousRiskIndicator cbc:ShippingMarks',
  group('cac:MeasurementDimension', [code('cbc:AttributeID!', PARCEL_DIMENSIONS), quantity('cbc:Measure')]),
  group('cac:Package', ['cbc:ID!', code('cbc:PackagingTypeCode', PACKAGES)]),
]);

const OUTLINE = group('DespatchAdvice', [
  'cbc:CustomizationID!',
  constant('cbc:ProfileID!', 'urn:fdc:peppol.eu:poacc:bis:despatch_advice:3'),
  'cbc:ID! cbc:IssueDate! cbc:IssueTime cbc:Note',
  reference('cac:OrderReference'),
  ADDITIONAL_DOCUMENT,
  group('cac:DespatchSupplierParty!', [group('cac:Party!', [...SENDER, CONTACT])]),
  group('cac:DeliveryCustomerParty!', [group('cac:Party!', SENDER), contact('cac:DeliveryContact')]),
  group('cac:BuyerCustomerParty', [NAMED]),
  group('cac:SellerSupplierParty', [NAMED]),
  group('cac:OriginatorCustomerParty', [NAMED]),
  SHIPMENT,
  group('cac:DespatchLine!', [
    'cbc:ID! cbc:Note',
    quantity('cbc:DeliveredQuantity! cbc:OutstandingQuantity'),
    'cbc:OutstandingReason',
    group('cac:OrderLineReference!', ['cbc:LineID! cbc:SalesOrderLineID', reference('cac:OrderReference')]),
    group('cac:DocumentReference', ['cbc:ID! cbc:DocumentType']),
    ITEM,
    group('cac:Shipment', [constant('cbc:ID!', 'NA'), PARCEL]),
  ]),
]);

const RULES = [
  customized('PEPPOL-T16-R011', 'urn:fdc:peppol.eu:poacc:trns:despatch_advice:3'),
  recognisable('PEPPOL-T16-R008', 'cac:BuyerCustomerParty'),
  recognisable('PEPPOL-T16-R009', 'cac:SellerSupplierParty'),
  recognisable('PEPPOL-T16-R010', 'cac:OriginatorCustomerParty'),
  context('cac:DespatchLine', [
    identifiedItem('PEPPOL-T16-R003', 'cac:Item'),
    required('PEPPOL-T16-R004', 'cac:Item/cbc:Name', 'The item of the line has no name: add cac:Item/cbc:Name.'),
    warning(required('PEPPOL-T16-R005', 'cbc:DeliveredQuantity')),
    zeroOrMore('PEPPOL-T16-R006', 'cbc:DeliveredQuantity'),
    advice(
      'PEPPOL-T16-R007',
      (node) => !has(node, 'cbc:OutstandingQuantity') || has(node, 'cbc:OutstandingReason'),
      'The line does not say why a quantity is outstanding: add cbc:OutstandingReason.',
      'cbc:OutstandingQuantity',
    ),
  ]),
];

export const DESPATCH_ADVICE = ruleSetOf({ name: 'despatch-advice', number: 'T16', outline: OUTLINE, rules: RULES });
