// Elements of UBL that EN 16931 has no use for, on the lines: each warns by its own id, UBL-CR-515 to UBL-CR-647.
import type { UnusedRow } from './unused-row.ts';

/** The number of the first id, where they stand below the line, their names: one id after the other. */
export const UNUSED_ON_LINES: readonly UnusedRow[] = [
  [515, '', 'cbc:UUID cbc:TaxPointDate cbc:AccountingCostCode cbc:PaymentPurposeCode cbc:FreeOfChargeIndicator'],
  [520, 'cac:InvoicePeriod', 'cbc:StartTime cbc:EndTime cbc:DurationMeasure cbc:DescriptionCode cbc:Description'],
  [525, 'cac:OrderLineReference', 'cbc:SalesOrderLineID cbc:UUID cbc:LineStatusCode cac:OrderReference'],
  [529, '', 'cac:DespatchLineReference cac:ReceiptLineReference cac:BillingReference'],
  [532, 'cac:DocumentReference', 'cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime'],
  [
    537,
    'cac:DocumentReference',
    `cbc:DocumentType cbc:XPath cbc:LanguageID cbc:LocaleCode cbc:VersionID cbc:DocumentStatusCode cbc:DocumentDescription
     cac:Attachment cac:ValidityPeriod cac:IssuerParty cac:ResultOfVerification`,
  ],
  [548, '', 'cac:PricingReference cac:OriginatorParty cac:Delivery cac:PaymentTerms'],
  [
    552,
    'cac:AllowanceCharge',
    `cbc:ID cbc:PrepaidIndicator cbc:SequenceNumeric cbc:AccountingCostCode cbc:AccountingCost cbc:PerUnitAmount cac:TaxCategory
     cac:TaxTotal cac:PaymentMeans`,
  ],
  [561, '', 'cac:TaxTotal cac:WithholdingTaxTotal'],
  [
    563,
    'cac:Item',
    `cbc:PackQuantity cbc:PackSizeNumeric cbc:CatalogueIndicator cbc:HazardousRiskIndicator cbc:AdditionalInformation cbc:Keyword
     cbc:BrandName cbc:ModelName`,
  ],
  [
    571,
    'cac:Item/cac:BuyersItemIdentification',
    `cbc:ExtendedID cbc:BarcodeSymbologyID cac:PhysicalAttribute cac:MeasurementDimension cac:IssuerParty`,
  ],
  [
    576,
    'cac:Item/cac:SellersItemIdentification',
    `cbc:ExtendedID cbc:BarcodeSymbologyID cac:PhysicalAttribute cac:MeasurementDimension cac:IssuerParty`,
  ],
  [581, 'cac:Item', 'cac:ManufacturersItemIdentification'],
  [
    582,
    'cac:Item/cac:StandardItemIdentification',
    `cbc:ExtendedID cbc:BarcodeSymbologyID cac:PhysicalAttribute cac:MeasurementDimension cac:IssuerParty`,
  ],
  [
    587,
    'cac:Item',
    `cac:CatalogueItemIdentification cac:AdditionalItemIdentification cac:CatalogueDocumentReference
     cac:ItemSpecificationDocumentReference`,
  ],
  [591, 'cac:Item/cac:OriginCountry', 'cbc:Name'],
  [592, 'cac:Item/cac:CommodityClassification', 'cbc:NatureCode cbc:CargoTypeCode cbc:CommodityCode'],
  [595, 'cac:Item', 'cac:TransactionConditions cac:HazardousItem'],
  [
    597,
    'cac:Item/cac:ClassifiedTaxCategory',
    `cbc:Name cbc:BaseUnitMeasure cbc:PerUnitAmount cbc:TaxExemptionReasonCode cbc:TaxExemptionReason cbc:TierRange
     cbc:TierRatePercent`,
  ],
  [604, 'cac:Item/cac:ClassifiedTaxCategory/cac:TaxScheme', 'cbc:Name cbc:TaxTypeCode cbc:CurrencyCode cac:JurisdictionRegionAddress'],
  [
    608,
    'cac:Item/cac:AdditionalItemProperty',
    `cbc:ID cbc:NameCode cbc:TestMethod cbc:ValueQuantity cbc:ValueQualifier cbc:ImportanceCode cbc:ListValue cac:UsabilityPeriod
     cac:ItemPropertyGroup cac:RangeDimension cac:ItemPropertyRange`,
  ],
  [
    619,
    'cac:Item',
    `cac:ManufacturerParty cac:InformationContentProviderParty cac:OriginAddress cac:ItemInstance cac:Certificate cac:Dimension`,
  ],
  [625, 'cac:Price', 'cbc:PriceChangeReason cbc:PriceTypeCode cbc:PriceType cbc:OrderableUnitFactorRate cbc:ValidityPeriod cbc:PriceList'],
  [
    632,
    'cac:Price/cac:AllowanceCharge',
    `cbc:ID cbc:AllowanceChargeReasonCode cbc:AllowanceChargeReason cbc:MultiplierFactorNumeric cbc:PrepaidIndicator
     cbc:SequenceNumeric cbc:AccountingCostCode cbc:AccountingCost cbc:PerUnitAmount cac:TaxCategory cac:TaxTotal cac:PaymentMeans`,
  ],
  [644, 'cac:Price', 'cac:PricingExchangeRate'],
  [645, '', 'cac:DeliveryTerms cac:SubInvoiceLine cac:ItemPriceExtension'],
];
