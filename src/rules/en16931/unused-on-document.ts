// Elements of UBL that EN 16931 has no use for, above the lines: each warns by its own id, UBL-CR-001 to UBL-CR-514 and UBL-CR-681 and 682.
import type { UnusedRow } from './unused-row.ts';

/** The number of the first id, where they stand, their names: one id after the other. */
export const UNUSED_ON_DOCUMENT: readonly UnusedRow[] = [
  [1, '', 'ext:UBLExtensions'],
  [
    3,
    '',
    `cbc:ProfileExecutionID cbc:CopyIndicator cbc:UUID cbc:IssueTime cbc:PricingCurrencyCode cbc:PaymentCurrencyCode
     cbc:PaymentAlternativeCurrencyCode cbc:AccountingCostCode cbc:LineCountNumeric`,
  ],
  [12, 'cac:InvoicePeriod', 'cbc:StartTime cbc:EndTime cbc:DurationMeasure cbc:Description'],
  [
    16,
    'cac:OrderReference',
    `cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime cbc:CustomerReference cbc:OrderTypeCode cac:DocumentReference`,
  ],
  [
    23,
    'cac:BillingReference/cac:InvoiceDocumentReference',
    `cbc:CopyIndicator cbc:UUID cbc:IssueTime cbc:DocumentTypeCode cbc:DocumentType cbc:XPath cbc:LanguageID cbc:LocaleCode
     cbc:VersionID cbc:DocumentStatusCode cbc:DocumentDescription cac:Attachment cac:ValidityPeriod cac:IssuerParty
     cac:ResultOfVerification`,
  ],
  [
    38,
    'cac:BillingReference',
    `cac:SelfBilledInvoiceDocumentReference cac:CreditNoteDocumentReference cac:SelfBilledCreditNoteDocumentReference
     cac:DebitNoteDocumentReference cac:ReminderDocumentReference cac:AdditionalDocumentReference cac:BillingReferenceLine`,
  ],
  [
    45,
    'cac:DespatchDocumentReference',
    `cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime cbc:DocumentTypeCode cbc:DocumentType cbc:XPath cbc:LanguageID
     cbc:LocaleCode cbc:VersionID cbc:DocumentStatusCode cbc:DocumentDescription cac:Attachment cac:ValidityPeriod cac:IssuerParty
     cac:ResultOfVerification`,
  ],
  [
    61,
    'cac:ReceiptDocumentReference',
    `cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime cbc:DocumentTypeCode cbc:DocumentType cbc:XPath cbc:LanguageID
     cbc:LocaleCode cbc:VersionID cbc:DocumentStatusCode cbc:DocumentDescription cac:Attachment cac:ValidityPeriod cac:IssuerParty
     cac:ResultOfVerification`,
  ],
  [77, '', 'cac:StatementDocumentReference'],
  [
    78,
    'cac:OriginatorDocumentReference',
    `cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime cbc:DocumentTypeCode cbc:DocumentType cbc:XPath cbc:LanguageID
     cbc:LocaleCode cbc:VersionID cbc:DocumentStatusCode cbc:DocumentDescription cac:Attachment cac:ValidityPeriod cac:IssuerParty
     cac:ResultOfVerification`,
  ],
  [
    94,
    'cac:ContractDocumentReference',
    `cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime cbc:DocumentTypeCode cbc:DocumentType cbc:XPath cbc:LanguageID
     cbc:LocaleCode cbc:VersionID cbc:DocumentStatusCode cbc:DocumentDescription cac:Attachment cac:ValidityPeriod cac:IssuerParty
     cac:ResultOfVerification`,
  ],
  [
    110,
    'cac:AdditionalDocumentReference',
    `cbc:CopyIndicator cbc:UUID cbc:IssueDate cbc:IssueTime cbc:DocumentType cbc:XPath cbc:LanguageID cbc:LocaleCode cbc:VersionID
     cbc:DocumentStatusCode`,
  ],
  [
    121,
    'cac:AdditionalDocumentReference/cac:Attachment/cac:ExternalReference',
    `cbc:DocumentHash cbc:HashAlgorithmMethod cbc:ExpiryDate cbc:ExpiryTime cbc:MimeCode cbc:FormatCode cbc:EncodingCode
     cbc:CharacterSetCode cbc:FileName cbc:Description`,
  ],
  [131, 'cac:AdditionalDocumentReference', 'cac:ValidityPeriod cac:IssuerParty cac:ResultOfVerification'],
  [134, 'cac:ProjectReference', 'cbc:UUID cbc:IssueDate cac:WorkPhaseReference'],
  [137, '', 'cac:Signature'],
  [138, 'cac:AccountingSupplierParty', 'cbc:CustomerAssignedAccountID cbc:AdditionalAccountID cbc:DataSendingCapability'],
  [
    141,
    'cac:AccountingSupplierParty/cac:Party',
    `cbc:MarkCareIndicator cbc:MarkAttentionIndicator cbc:WebsiteURI cbc:LogoReferenceID cbc:IndustryClassificationCode cac:Language`,
  ],
  [
    147,
    'cac:AccountingSupplierParty/cac:Party/cac:PostalAddress',
    `cbc:ID cbc:AddressTypeCode cbc:AddressFormatCode cbc:Postbox cbc:Floor cbc:Room cbc:BlockName cbc:BuildingName
     cbc:BuildingNumber cbc:InhouseMail cbc:Department cbc:MarkAttention cbc:MarkCare cbc:PlotIdentification cbc:CitySubdivisionName
     cbc:CountrySubentityCode cbc:Region cbc:District cbc:TimezoneOffset`,
  ],
  [166, 'cac:AccountingSupplierParty/cac:Party/cac:PostalAddress/cac:Country', 'cbc:Name'],
  [167, 'cac:AccountingSupplierParty/cac:Party/cac:PostalAddress', 'cac:LocationCoordinate'],
  [168, 'cac:AccountingSupplierParty/cac:Party', 'cac:PhysicalLocation'],
  [
    169,
    'cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme',
    `cbc:RegistrationName cbc:TaxLevelCode cbc:ExemptionReasonCode cbc:ExemptionReason cac:RegistrationAddress`,
  ],
  [
    174,
    'cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme/cac:TaxScheme',
    `cbc:Name cbc:TaxTypeCode cbc:CurrencyCode cac:JurisdictionRegionAddress`,
  ],
  [
    178,
    'cac:AccountingSupplierParty/cac:Party/cac:PartyLegalEntity',
    `cbc:RegistrationDate cbc:RegistrationExpirationDate cbc:CompanyLegalFormCode cbc:SoleProprietorshipIndicator
     cbc:CompanyLiquidationStatusCode cbc:CorporateStockAmount cbc:FullyPaidSharesIndicator cac:RegistrationAddress
     cac:CorporateRegistrationScheme cac:HeadOfficeParty cac:ShareholderParty`,
  ],
  [189, 'cac:AccountingSupplierParty/cac:Party/cac:Contact', 'cbc:ID cbc:Telefax cbc:Note cac:OtherCommunication'],
  [
    193,
    'cac:AccountingSupplierParty/cac:Party',
    `cac:Person cac:AgentParty cac:ServiceProviderParty cac:PowerOfAttorney cac:FinancialAccount`,
  ],
  [198, 'cac:AccountingSupplierParty', 'cac:DespatchContact cac:AccountingContact cac:SellerContact'],
  [201, 'cac:AccountingCustomerParty', 'cbc:CustomerAssignedAccountID cbc:SupplierAssignedAccountID cbc:AdditionalAccountID'],
  [
    204,
    'cac:AccountingCustomerParty/cac:Party',
    `cbc:MarkCareIndicator cbc:MarkAttentionIndicator cbc:WebsiteURI cbc:LogoReferenceID cbc:IndustryClassificationCode cac:Language`,
  ],
  [
    210,
    'cac:AccountingCustomerParty/cac:Party/cac:PostalAddress',
    `cbc:ID cbc:AddressTypeCode cbc:AddressFormatCode cbc:Postbox cbc:Floor cbc:Room cbc:BlockName cbc:BuildingName
     cbc:BuildingNumber cbc:InhouseMail cbc:Department cbc:MarkAttention cbc:MarkCare cbc:PlotIdentification cbc:CitySubdivisionName
     cbc:CountrySubentityCode cbc:Region cbc:District cbc:TimezoneOffset`,
  ],
  [229, 'cac:AccountingCustomerParty/cac:Party/cac:PostalAddress/cac:Country', 'cbc:Name'],
  [230, 'cac:AccountingCustomerParty/cac:Party/cac:PostalAddress', 'cac:LocationCoordinate'],
  [231, 'cac:AccountingCustomerParty/cac:Party', 'cac:PhysicalLocation'],
  [
    232,
    'cac:AccountingCustomerParty/cac:Party/cac:PartyTaxScheme',
    `cbc:RegistrationName cbc:TaxLevelCode cbc:ExemptionReasonCode cbc:ExemptionReason cac:RegistrationAddress`,
  ],
  [
    237,
    'cac:AccountingCustomerParty/cac:Party/cac:PartyTaxScheme/cac:TaxScheme',
    `cbc:Name cbc:TaxTypeCode cbc:CurrencyCode cac:JurisdictionRegionAddress`,
  ],
  [
    241,
    'cac:AccountingCustomerParty/cac:Party/cac:PartyLegalEntity',
    `cbc:RegistrationDate cbc:RegistrationExpirationDate cbc:CompanyLegalFormCode cbc:CompanyLegalForm
     cbc:SoleProprietorshipIndicator cbc:CompanyLiquidationStatusCode cbc:CorporateStockAmount cbc:FullyPaidSharesIndicator
     cac:RegistrationAddress cac:CorporateRegistrationScheme cac:HeadOfficeParty cac:ShareholderParty`,
  ],
  [253, 'cac:AccountingCustomerParty/cac:Party/cac:Contact', 'cbc:ID cbc:Telefax cbc:Note cac:OtherCommunication'],
  [
    257,
    'cac:AccountingCustomerParty/cac:Party',
    `cac:Person cac:AgentParty cac:ServiceProviderParty cac:PowerOfAttorney cac:FinancialAccount`,
  ],
  [262, 'cac:AccountingCustomerParty', 'cac:DeliveryContact cac:AccountingContact cac:BuyerContact'],
  [
    265,
    'cac:PayeeParty',
    `cbc:MarkCareIndicator cbc:MarkAttentionIndicator cbc:WebsiteURI cbc:LogoReferenceID cbc:EndpointID
     cbc:IndustryClassificationCode cac:Language cac:PostalAddress cac:PhysicalLocation cac:PartyTaxScheme`,
  ],
  [
    275,
    'cac:PayeeParty/cac:PartyLegalEntity',
    `cbc:RegistrationName cbc:RegistrationDate cbc:RegistrationExpirationDate cbc:CompanyLegalFormCode cbc:CompanyLegalForm
     cbc:SoleProprietorshipIndicator cbc:CompanyLiquidationStatusCode cbc:CorporateStockAmount cbc:FullyPaidSharesIndicator
     cac:RegistrationAddress cac:CorporateRegistrationScheme cac:HeadOfficeParty cac:ShareholderParty`,
  ],
  [288, 'cac:PayeeParty', 'cac:Contact cac:Person cac:AgentParty cac:ServiceProviderParty cac:PowerOfAttorney cac:FinancialAccount'],
  [294, '', 'cac:BuyerCustomerParty cac:SellerSupplierParty'],
  [
    296,
    'cac:TaxRepresentativeParty',
    `cbc:MarkCareIndicator cbc:MarkAttentionIndicator cbc:WebsiteURI cbc:LogoReferenceID cbc:EndpointID
     cbc:IndustryClassificationCode cac:PartyIdentification cac:Language`,
  ],
  [
    304,
    'cac:TaxRepresentativeParty/cac:PostalAddress',
    `cbc:ID cbc:AddressTypeCode cbc:AddressFormatCode cbc:Postbox cbc:Floor cbc:Room cbc:BlockName cbc:BuildingName
     cbc:BuildingNumber cbc:InhouseMail cbc:Department cbc:MarkAttention cbc:MarkCare cbc:PlotIdentification cbc:CitySubdivisionName
     cbc:CountrySubentityCode cbc:Region cbc:District cbc:TimezoneOffset`,
  ],
  [323, 'cac:TaxRepresentativeParty/cac:PostalAddress/cac:Country', 'cbc:Name'],
  [324, 'cac:TaxRepresentativeParty/cac:PostalAddress', 'cac:LocationCoordinate'],
  [325, 'cac:TaxRepresentativeParty', 'cac:PhysicalLocation'],
  [
    326,
    'cac:TaxRepresentativeParty/cac:PartyTaxScheme',
    `cbc:RegistrationName cbc:TaxLevelCode cbc:ExemptionReasonCode cbc:ExemptionReason cac:RegistrationAddress`,
  ],
  [
    331,
    'cac:TaxRepresentativeParty/cac:PartyTaxScheme/cac:TaxScheme',
    `cbc:Name cbc:TaxTypeCode cbc:CurrencyCode cac:JurisdictionRegionAddress`,
  ],
  [
    335,
    'cac:TaxRepresentativeParty',
    `cac:PartyLegalEntity cac:Contact cac:Person cac:AgentParty cac:ServiceProviderParty cac:PowerOfAttorney cac:FinancialAccount`,
  ],
  [
    342,
    'cac:Delivery',
    `cbc:ID cbc:Quantity cbc:MinimumQuantity cbc:MaximumQuantity cbc:ActualDeliveryTime cbc:LatestDeliveryDate cbc:LatestDeliveryTime
     cbc:ReleaseID cbc:TrackingID`,
  ],
  [
    351,
    'cac:Delivery/cac:DeliveryLocation',
    `cbc:Description cbc:Conditions cbc:CountrySubentity cbc:CountrySubentityCode cbc:LocationTypeCode cbc:InformationURI cbc:Name
     cac:ValidityPeriod`,
  ],
  [
    359,
    'cac:Delivery/cac:DeliveryLocation/cac:Address',
    `cbc:ID cbc:AddressTypeCode cbc:AddressFormatCode cbc:Postbox cbc:Floor cbc:Room cbc:BlockName cbc:BuildingName
     cbc:BuildingNumber cbc:InhouseMail cbc:Department cbc:MarkAttention cbc:MarkCare cbc:PlotIdentification cbc:CitySubdivisionName
     cbc:CountrySubentityCode cbc:Region cbc:District cbc:TimezoneOffset`,
  ],
  [378, 'cac:Delivery/cac:DeliveryLocation/cac:Address/cac:Country', 'cbc:Name'],
  [379, 'cac:Delivery/cac:DeliveryLocation/cac:Address', 'cac:LocationCoordinate'],
  [380, 'cac:Delivery/cac:DeliveryLocation', 'cac:SubsidiaryLocation cac:LocationCoordinate'],
  [382, 'cac:Delivery', 'cac:AlternativeDeliveryLocation cac:RequestedDeliveryPeriod cac:EstimatedDeliveryPeriod cac:CarrierParty'],
  [
    386,
    'cac:Delivery/cac:DeliveryParty',
    `cbc:MarkCareIndicator cbc:MarkAttentionIndicator cbc:WebsiteURI cbc:LogoReferenceID cbc:EndpointID
     cbc:IndustryClassificationCode cac:PartyIdentification cac:Language cac:PostalAddress cac:PhysicalLocation cac:PartyTaxScheme
     cac:PartyLegalEntity cac:Contact cac:Person cac:AgentParty cac:ServiceProviderParty cac:PowerOfAttorney cac:FinancialAccount`,
  ],
  [404, 'cac:Delivery', 'cac:NotifyParty cac:Despatch cac:DeliveryTerms cac:MinimumDeliveryUnit cac:MaximumDeliveryUnit cac:Shipment'],
  [410, '', 'cac:DeliveryTerms'],
  [411, 'cac:PaymentMeans', 'cbc:ID'],
  [413, 'cac:PaymentMeans', 'cbc:PaymentChannelCode cbc:InstructionID'],
  [
    415,
    'cac:PaymentMeans/cac:CardAccount',
    `cbc:CardTypeCode cbc:ValidityStartDate cbc:ExpiryDate cbc:IssuerID cbc:IssueNumberID cbc:CV2ID cbc:CardChipCode
     cbc:ChipApplicationID`,
  ],
  [
    424,
    'cac:PaymentMeans/cac:PayeeFinancialAccount',
    `cbc:AliasName cbc:AccountTypeCode cbc:AccountFormatCode cbc:CurrencyCode cbc:PaymentNote`,
  ],
  [429, 'cac:PaymentMeans/cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch', 'cbc:Name'],
  [430, 'cac:PaymentMeans/cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch/cac:FinancialInstitution', 'cbc:Name cac:Address'],
  [432, 'cac:PaymentMeans/cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch', 'cac:Address'],
  [433, 'cac:PaymentMeans/cac:PayeeFinancialAccount', 'cac:Country'],
  [434, 'cac:PaymentMeans', 'cac:CreditAccount'],
  [
    435,
    'cac:PaymentMeans/cac:PaymentMandate',
    `cbc:MandateTypeCode cbc:MaximumPaymentInstructionsNumeric cbc:MaximumPaidAmount cbc:SignatureID cac:PayerParty`,
  ],
  [
    440,
    'cac:PaymentMeans/cac:PaymentMandate/cac:PayerFinancialAccount',
    `cbc:Name cbc:AliasName cbc:AccountTypeCode cbc:AccountFormatCode cbc:CurrencyCode cbc:PaymentNote cac:FinancialInstitutionBranch
     cac:Country`,
  ],
  [448, 'cac:PaymentMeans/cac:PaymentMandate', 'cac:ValidityPeriod cac:PaymentReversalPeriod cac:Clause'],
  [451, 'cac:PaymentMeans', 'cac:TradeFinancing'],
  [
    452,
    'cac:PaymentTerms',
    `cbc:ID cbc:PaymentMeansID cbc:PrepaidPaymentReferenceID cbc:ReferenceEventCode cbc:SettlementDiscountPercent
     cbc:PenaltySurchargePercent cbc:PaymentPercent cbc:Amount cbc:SettlementDiscountAmount cbc:PenaltyAmount
     cbc:PaymentTermsDetailsURI cbc:PaymentDueDate cbc:InstallmentDueDate cbc:InvoicingPartyReference cac:SettlementPeriod
     cac:PenaltyPeriod cac:ExchangeRate cac:ValidityPeriod`,
  ],
  [470, '', 'cac:PrepaidPayment'],
  [
    471,
    'cac:AllowanceCharge',
    `cbc:ID cbc:PrepaidIndicator cbc:SequenceNumeric cbc:AccountingCostCode cbc:AccountingCost cbc:PerUnitAmount`,
  ],
  [
    477,
    'cac:AllowanceCharge/cac:TaxCategory',
    `cbc:Name cbc:BaseUnitMeasure cbc:PerUnitAmount cbc:TaxExemptionReasonCode cbc:TaxExemptionReason cbc:TierRange
     cbc:TierRatePercent`,
  ],
  [484, 'cac:AllowanceCharge/cac:TaxCategory/cac:TaxScheme', 'cbc:Name cbc:TaxTypeCode cbc:CurrencyCode cac:JurisdictionRegionAddress'],
  [488, 'cac:AllowanceCharge', 'cac:TaxTotal cac:PaymentMeans'],
  [490, '', 'cac:TaxExchangeRate cac:PricingExchangeRate cac:PaymentExchangeRate cac:PaymentAlternativeExchangeRate'],
  [494, 'cac:TaxTotal', 'cbc:RoundingAmount cbc:TaxEvidenceIndicator cbc:TaxIncludedIndicator'],
  [
    497,
    'cac:TaxTotal/cac:TaxSubtotal',
    `cbc:CalculationSequenceNumeric cbc:TransactionCurrencyTaxAmount cbc:Percent cbc:BaseUnitMeasure cbc:PerUnitAmount cbc:TierRange
     cbc:TierRatePercent`,
  ],
  [504, 'cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory', 'cbc:Name cbc:BaseUnitMeasure cbc:PerUnitAmount cbc:TierRange cbc:TierRatePercent'],
  [
    509,
    'cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory/cac:TaxScheme',
    `cbc:Name cbc:TaxTypeCode cbc:CurrencyCode cac:JurisdictionRegionAddress`,
  ],
  [513, '', 'cac:WithholdingTaxTotal'],
  [514, 'cac:LegalMonetaryTotal', 'cbc:PayableAlternativeAmount'],
  [681, 'cac:PaymentMeans', 'cbc:InstructionNote'],
  [682, 'cac:Delivery', 'cac:DeliveryAddress'],
];
