// Elements of UBL that EN 16931 has no use for: each warns by its own id, UBL-CR-001 to UBL-CR-647, and UBL-CR-681 and 682.
// A row is the number of its first id, where the elements stand, and their names: one id after the other.

const REFERENCE_REST = `cbc:DocumentType cbc:XPath cbc:LanguageID cbc:LocaleCode cbc:VersionID cbc:DocumentStatusCode cbc:DocumentDescription
    cac:Attachment cac:ValidityPeriod cac:IssuerParty cac:ResultOfVerification`;

const REFERENCE = `cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime cbc:DocumentTypeCode ${REFERENCE_REST}`;

const ADDRESS = `cbc:ID cbc:AddressTypeCode cbc:AddressFormatCode cbc:Postbox cbc:Floor cbc:Room cbc:BlockName cbc:BuildingName
    cbc:BuildingNumber cbc:InhouseMail cbc:Department cbc:MarkAttention cbc:MarkCare cbc:PlotIdentification cbc:CitySubdivisionName
    cbc:CountrySubentityCode cbc:Region cbc:District cbc:TimezoneOffset cac:Country/cbc:Name cac:LocationCoordinate`;

const MARKS = 'cbc:MarkCareIndicator cbc:MarkAttentionIndicator cbc:WebsiteURI cbc:LogoReferenceID';
const OTHERS = 'cac:Person cac:AgentParty cac:ServiceProviderParty cac:PowerOfAttorney cac:FinancialAccount';

const TAX_SCHEME = `cac:TaxScheme/cbc:Name cac:TaxScheme/cbc:TaxTypeCode cac:TaxScheme/cbc:CurrencyCode
    cac:TaxScheme/cac:JurisdictionRegionAddress`;

const PARTY_TAX = `cbc:RegistrationName cbc:TaxLevelCode cbc:ExemptionReasonCode cbc:ExemptionReason cac:RegistrationAddress ${TAX_SCHEME}`;

const LEGAL_REST = `cbc:SoleProprietorshipIndicator cbc:CompanyLiquidationStatusCode cbc:CorporateStockAmount cbc:FullyPaidSharesIndicator
    cac:RegistrationAddress cac:CorporateRegistrationScheme cac:HeadOfficeParty cac:ShareholderParty`;

const CONTACT = 'cbc:ID cbc:Telefax cbc:Note cac:OtherCommunication';
const CATEGORY_REASON = 'cbc:Name cbc:BaseUnitMeasure cbc:PerUnitAmount cbc:TaxExemptionReasonCode cbc:TaxExemptionReason';
const TIERS = 'cbc:TierRange cbc:TierRatePercent';
const ITEM_ID = 'cbc:ExtendedID cbc:BarcodeSymbologyID cac:PhysicalAttribute cac:MeasurementDimension cac:IssuerParty';
const ACCOUNTING = 'cbc:PrepaidIndicator cbc:SequenceNumeric cbc:AccountingCostCode cbc:AccountingCost cbc:PerUnitAmount';

const SELLER = 'cac:AccountingSupplierParty/cac:Party';
const BUYER = 'cac:AccountingCustomerParty/cac:Party';
const ACCOUNT = 'cac:PaymentMeans/cac:PayeeFinancialAccount';

/** `.` is the document itself. */
export const UNUSED_ON_DOCUMENT = `
1 .: ext:UBLExtensions
3 .: cbc:ProfileExecutionID cbc:CopyIndicator cbc:UUID cbc:IssueTime cbc:PricingCurrencyCode cbc:PaymentCurrencyCode
    cbc:PaymentAlternativeCurrencyCode cbc:AccountingCostCode cbc:LineCountNumeric
12 cac:InvoicePeriod: cbc:StartTime cbc:EndTime cbc:DurationMeasure cbc:Description
16 cac:OrderReference: cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime cbc:CustomerReference cbc:OrderTypeCode
    cac:DocumentReference
23 cac:BillingReference/cac:InvoiceDocumentReference: cbc:CopyIndicator cbc:UUID cbc:IssueTime cbc:DocumentTypeCode ${REFERENCE_REST}
38 cac:BillingReference: cac:SelfBilledInvoiceDocumentReference cac:CreditNoteDocumentReference
    cac:SelfBilledCreditNoteDocumentReference cac:DebitNoteDocumentReference cac:ReminderDocumentReference
    cac:AdditionalDocumentReference cac:BillingReferenceLine
45 cac:DespatchDocumentReference: ${REFERENCE}
61 cac:ReceiptDocumentReference: ${REFERENCE}
77 .: cac:StatementDocumentReference
78 cac:OriginatorDocumentReference: ${REFERENCE}
94 cac:ContractDocumentReference: ${REFERENCE}
110 cac:AdditionalDocumentReference: cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime cbc:DocumentType cbc:XPath cbc:LanguageID
    cbc:LocaleCode cbc:VersionID cbc:DocumentStatusCode
121 cac:AdditionalDocumentReference/cac:Attachment/cac:ExternalReference: cbc:DocumentHash cbc:HashAlgorithmMethod cbc:ExpiryDate
    cbc:ExpiryTime cbc:MimeCode cbc:FormatCode cbc:EncodingCode cbc:CharacterSetCode cbc:FileName cbc:Description
131 cac:AdditionalDocumentReference: cac:ValidityPeriod cac:IssuerParty cac:ResultOfVerification
134 cac:ProjectReference: cbc:UUID cbc:IssueDate cac:WorkPhaseReference
137 .: cac:Signature
138 cac:AccountingSupplierParty: cbc:CustomerAssignedAccountID cbc:AdditionalAccountID cbc:DataSendingCapability
141 ${SELLER}: ${MARKS} cbc:IndustryClassificationCode cac:Language
147 ${SELLER}/cac:PostalAddress: ${ADDRESS}
168 ${SELLER}: cac:PhysicalLocation
169 ${SELLER}/cac:PartyTaxScheme: ${PARTY_TAX}
178 ${SELLER}/cac:PartyLegalEntity: cbc:RegistrationDate cbc:RegistrationExpirationDate cbc:CompanyLegalFormCode ${LEGAL_REST}
189 ${SELLER}/cac:Contact: ${CONTACT}
193 ${SELLER}: ${OTHERS}
198 cac:AccountingSupplierParty: cac:DespatchContact cac:AccountingContact cac:SellerContact
201 cac:AccountingCustomerParty: cbc:CustomerAssignedAccountID cbc:SupplierAssignedAccountID cbc:AdditionalAccountID
204 ${BUYER}: ${MARKS} cbc:IndustryClassificationCode cac:Language
210 ${BUYER}/cac:PostalAddress: ${ADDRESS}
231 ${BUYER}: cac:PhysicalLocation
232 ${BUYER}/cac:PartyTaxScheme: ${PARTY_TAX}
241 ${BUYER}/cac:PartyLegalEntity: cbc:RegistrationDate cbc:RegistrationExpirationDate cbc:CompanyLegalFormCode cbc:CompanyLegalForm
    ${LEGAL_REST}
253 ${BUYER}/cac:Contact: ${CONTACT}
257 ${BUYER}: ${OTHERS}
262 cac:AccountingCustomerParty: cac:DeliveryContact cac:AccountingContact cac:BuyerContact
265 cac:PayeeParty: ${MARKS} cbc:EndpointID cbc:IndustryClassificationCode cac:Language cac:PostalAddress cac:PhysicalLocation
    cac:PartyTaxScheme
275 cac:PayeeParty/cac:PartyLegalEntity: cbc:RegistrationName cbc:RegistrationDate cbc:RegistrationExpirationDate
    cbc:CompanyLegalFormCode cbc:CompanyLegalForm ${LEGAL_REST}
288 cac:PayeeParty: cac:Contact ${OTHERS}
294 .: cac:BuyerCustomerParty cac:SellerSupplierParty
296 cac:TaxRepresentativeParty: ${MARKS} cbc:EndpointID cbc:IndustryClassificationCode cac:PartyIdentification cac:Language
304 cac:TaxRepresentativeParty/cac:PostalAddress: ${ADDRESS}
325 cac:TaxRepresentativeParty: cac:PhysicalLocation
326 cac:TaxRepresentativeParty/cac:PartyTaxScheme: ${PARTY_TAX}
335 cac:TaxRepresentativeParty: cac:PartyLegalEntity cac:Contact ${OTHERS}
342 cac:Delivery: cbc:ID cbc:Quantity cbc:MinimumQuantity cbc:MaximumQuantity cbc:ActualDeliveryTime cbc:LatestDeliveryDate
    cbc:LatestDeliveryTime cbc:ReleaseID cbc:TrackingID
351 cac:Delivery/cac:DeliveryLocation: cbc:Description cbc:Conditions cbc:CountrySubentity cbc:CountrySubentityCode cbc:LocationTypeCode
    cbc:InformationURI cbc:Name cac:ValidityPeriod
359 cac:Delivery/cac:DeliveryLocation/cac:Address: ${ADDRESS}
380 cac:Delivery/cac:DeliveryLocation: cac:SubsidiaryLocation cac:LocationCoordinate
382 cac:Delivery: cac:AlternativeDeliveryLocation cac:RequestedDeliveryPeriod cac:EstimatedDeliveryPeriod cac:CarrierParty
386 cac:Delivery/cac:DeliveryParty: ${MARKS} cbc:EndpointID cbc:IndustryClassificationCode cac:PartyIdentification cac:Language
    cac:PostalAddress cac:PhysicalLocation cac:PartyTaxScheme cac:PartyLegalEntity cac:Contact ${OTHERS}
404 cac:Delivery: cac:NotifyParty cac:Despatch cac:DeliveryTerms cac:MinimumDeliveryUnit cac:MaximumDeliveryUnit cac:Shipment
410 .: cac:DeliveryTerms
411 cac:PaymentMeans: cbc:ID
413 cac:PaymentMeans: cbc:PaymentChannelCode cbc:InstructionID
415 cac:PaymentMeans/cac:CardAccount: cbc:CardTypeCode cbc:ValidityStartDate cbc:ExpiryDate cbc:IssuerID cbc:IssueNumberID cbc:CV2ID
    cbc:CardChipCode cbc:ChipApplicationID
424 ${ACCOUNT}: cbc:AliasName cbc:AccountTypeCode cbc:AccountFormatCode cbc:CurrencyCode cbc:PaymentNote
429 ${ACCOUNT}/cac:FinancialInstitutionBranch: cbc:Name cac:FinancialInstitution/cbc:Name cac:FinancialInstitution/cac:Address cac:Address
433 ${ACCOUNT}: cac:Country
434 cac:PaymentMeans: cac:CreditAccount
435 cac:PaymentMeans/cac:PaymentMandate: cbc:MandateTypeCode cbc:MaximumPaymentInstructionsNumeric cbc:MaximumPaidAmount cbc:SignatureID
    cac:PayerParty
440 cac:PaymentMeans/cac:PaymentMandate/cac:PayerFinancialAccount: cbc:Name cbc:AliasName cbc:AccountTypeCode cbc:AccountFormatCode
    cbc:CurrencyCode cbc:PaymentNote cac:FinancialInstitutionBranch cac:Country
448 cac:PaymentMeans/cac:PaymentMandate: cac:ValidityPeriod cac:PaymentReversalPeriod cac:Clause
451 cac:PaymentMeans: cac:TradeFinancing
452 cac:PaymentTerms: cbc:ID cbc:PaymentMeansID cbc:PrepaidPaymentReferenceID cbc:ReferenceEventCode cbc:SettlementDiscountPercent
    cbc:PenaltySurchargePercent cbc:PaymentPercent cbc:Amount cbc:SettlementDiscountAmount cbc:PenaltyAmount cbc:PaymentTermsDetailsURI
    cbc:PaymentDueDate cbc:InstallmentDueDate cbc:InvoicingPartyReference cac:SettlementPeriod cac:PenaltyPeriod cac:ExchangeRate
    cac:ValidityPeriod
470 .: cac:PrepaidPayment
471 cac:AllowanceCharge: cbc:ID ${ACCOUNTING}
477 cac:AllowanceCharge/cac:TaxCategory: ${CATEGORY_REASON} ${TIERS} ${TAX_SCHEME}
488 cac:AllowanceCharge: cac:TaxTotal cac:PaymentMeans
490 .: cac:TaxExchangeRate cac:PricingExchangeRate cac:PaymentExchangeRate cac:PaymentAlternativeExchangeRate
494 cac:TaxTotal: cbc:RoundingAmount cbc:TaxEvidenceIndicator cbc:TaxIncludedIndicator
497 cac:TaxTotal/cac:TaxSubtotal: cbc:CalculationSequenceNumeric cbc:TransactionCurrencyTaxAmount cbc:Percent cbc:BaseUnitMeasure
    cbc:PerUnitAmount ${TIERS}
504 cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory: cbc:Name cbc:BaseUnitMeasure cbc:PerUnitAmount ${TIERS} ${TAX_SCHEME}
513 .: cac:WithholdingTaxTotal
514 cac:LegalMonetaryTotal: cbc:PayableAlternativeAmount
681 cac:PaymentMeans: cbc:InstructionNote
682 cac:Delivery: cac:DeliveryAddress
`;

/** `.` is the line itself. */
export const UNUSED_ON_LINES = `
515 .: cbc:UUID cbc:TaxPointDate cbc:AccountingCostCode cbc:PaymentPurposeCode cbc:FreeOfChargeIndicator
520 cac:InvoicePeriod: cbc:StartTime cbc:EndTime cbc:DurationMeasure cbc:DescriptionCode cbc:Description
525 cac:OrderLineReference: cbc:SalesOrderLineID cbc:UUID cbc:LineStatusCode cac:OrderReference
529 .: cac:DespatchLineReference cac:ReceiptLineReference cac:BillingReference
532 cac:DocumentReference: cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime
537 cac:DocumentReference: ${REFERENCE_REST}
548 .: cac:PricingReference cac:OriginatorParty cac:Delivery cac:PaymentTerms
552 cac:AllowanceCharge: cbc:ID ${ACCOUNTING} cac:TaxCategory cac:TaxTotal cac:PaymentMeans
561 .: cac:TaxTotal cac:WithholdingTaxTotal
563 cac:Item: cbc:PackQuantity cbc:PackSizeNumeric cbc:CatalogueIndicator cbc:HazardousRiskIndicator cbc:AdditionalInformation cbc:Keyword
    cbc:BrandName cbc:ModelName
571 cac:Item/cac:BuyersItemIdentification: ${ITEM_ID}
576 cac:Item/cac:SellersItemIdentification: ${ITEM_ID}
581 cac:Item: cac:ManufacturersItemIdentification
582 cac:Item/cac:StandardItemIdentification: ${ITEM_ID}
587 cac:Item: cac:CatalogueItemIdentification cac:AdditionalItemIdentification cac:CatalogueDocumentReference
    cac:ItemSpecificationDocumentReference
591 cac:Item/cac:OriginCountry: cbc:Name
592 cac:Item/cac:CommodityClassification: cbc:NatureCode cbc:CargoTypeCode cbc:CommodityCode
595 cac:Item: cac:TransactionConditions cac:HazardousItem
597 cac:Item/cac:ClassifiedTaxCategory: ${CATEGORY_REASON} ${TIERS} ${TAX_SCHEME}
608 cac:Item/cac:AdditionalItemProperty: cbc:ID cbc:NameCode cbc:TestMethod cbc:ValueQuantity cbc:ValueQualifier cbc:ImportanceCode
    cbc:ListValue cac:UsabilityPeriod cac:ItemPropertyGroup cac:RangeDimension cac:ItemPropertyRange
619 cac:Item: cac:ManufacturerParty cac:InformationContentProviderParty cac:OriginAddress cac:ItemInstance cac:Certificate cac:Dimension
625 cac:Price: cbc:PriceChangeReason cbc:PriceTypeCode cbc:PriceType cbc:OrderableUnitFactorRate cbc:ValidityPeriod cbc:PriceList
632 cac:Price/cac:AllowanceCharge: cbc:ID cbc:AllowanceChargeReasonCode cbc:AllowanceChargeReason cbc:MultiplierFactorNumeric
    ${ACCOUNTING} cac:TaxCategory cac:TaxTotal cac:PaymentMeans
644 cac:Price: cac:PricingExchangeRate
645 .: cac:DeliveryTerms cac:SubInvoiceLine cac:ItemPriceExtension
`;

/** Of each name in the rows its id and its path. */
export function rowsOf(text: string): (readonly [id: string, path: string])[] {
  const rows = text.trim().split(/\n(?! )/);
  return rows.flatMap((row) => {
    const [, first, below, names = ''] = /^(\d+) (\S+): (.+)$/s.exec(row) ?? [];
    return names.split(/\s+/).map((name, at) => [idOf(Number(first) + at), below === '.' ? name : `${below}/${name}`] as const);
  });
}

export function idOf(number: number): string {
  return `UBL-CR-${String(number).padStart(3, '0')}`;
}
