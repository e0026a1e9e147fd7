// The element model of UBL 2.1 as rows: what each document and aggregate holds, in the order of the schema, basic elements (cbc) before
// the bar and aggregates (cac) after it. Behind a name: nothing, exactly once; ? at most once; + once or more; * any number.
// Before all of it a document may hold ext:UBLExtensions.

export const DOCUMENTS_21 = `
Invoice: UBLVersionID? CustomizationID? ProfileID? ProfileExecutionID? ID CopyIndicator? UUID? IssueDate IssueTime? DueDate?
    InvoiceTypeCode? Note* TaxPointDate? DocumentCurrencyCode? TaxCurrencyCode? PricingCurrencyCode? PaymentCurrencyCode?
    PaymentAlternativeCurrencyCode? AccountingCostCode? AccountingCost? LineCountNumeric? BuyerReference? | InvoicePeriod*
    OrderReference? BillingReference* DespatchDocumentReference* ReceiptDocumentReference* StatementDocumentReference*
    OriginatorDocumentReference* ContractDocumentReference* AdditionalDocumentReference* ProjectReference* Signature*
    AccountingSupplierParty AccountingCustomerParty PayeeParty? BuyerCustomerParty? SellerSupplierParty? TaxRepresentativeParty?
    Delivery* DeliveryTerms? PaymentMeans* PaymentTerms* PrepaidPayment* AllowanceCharge* TaxExchangeRate? PricingExchangeRate?
    PaymentExchangeRate? PaymentAlternativeExchangeRate? TaxTotal* WithholdingTaxTotal* LegalMonetaryTotal InvoiceLine+
CreditNote: UBLVersionID? CustomizationID? ProfileID? ProfileExecutionID? ID CopyIndicator? UUID? IssueDate IssueTime? TaxPointDate?
    CreditNoteTypeCode? Note* DocumentCurrencyCode? TaxCurrencyCode? PricingCurrencyCode? PaymentCurrencyCode?
    PaymentAlternativeCurrencyCode? AccountingCostCode? AccountingCost? LineCountNumeric? BuyerReference? | InvoicePeriod*
    DiscrepancyResponse* OrderReference? BillingReference* DespatchDocumentReference* ReceiptDocumentReference*
    ContractDocumentReference* AdditionalDocumentReference* StatementDocumentReference* OriginatorDocumentReference* Signature*
    AccountingSupplierParty AccountingCustomerParty PayeeParty? BuyerCustomerParty? SellerSupplierParty? TaxRepresentativeParty?
    Delivery* DeliveryTerms* PaymentMeans* PaymentTerms* TaxExchangeRate? PricingExchangeRate? PaymentExchangeRate?
    PaymentAlternativeExchangeRate? AllowanceCharge* TaxTotal* LegalMonetaryTotal CreditNoteLine+
Order: UBLVersionID? CustomizationID? ProfileID? ProfileExecutionID? ID SalesOrderID? CopyIndicator? UUID? IssueDate IssueTime?
    OrderTypeCode? Note* RequestedInvoiceCurrencyCode? DocumentCurrencyCode? PricingCurrencyCode? TaxCurrencyCode? CustomerReference?
    AccountingCostCode? AccountingCost? LineCountNumeric? | ValidityPeriod* QuotationDocumentReference? OrderDocumentReference*
    OriginatorDocumentReference? CatalogueReference? AdditionalDocumentReference* Contract* ProjectReference* Signature*
    BuyerCustomerParty SellerSupplierParty OriginatorCustomerParty? FreightForwarderParty? AccountingCustomerParty? Delivery*
    DeliveryTerms* PaymentMeans* PaymentTerms* TransactionConditions? AllowanceCharge* TaxExchangeRate? PricingExchangeRate?
    PaymentExchangeRate? DestinationCountry? TaxTotal* AnticipatedMonetaryTotal? OrderLine+
OrderResponse: UBLVersionID? CustomizationID? ProfileID? ProfileExecutionID? ID SalesOrderID? CopyIndicator? UUID? IssueDate IssueTime?
    OrderResponseCode? Note* DocumentCurrencyCode? PricingCurrencyCode? TaxCurrencyCode? TotalPackagesQuantity? GrossWeightMeasure?
    NetWeightMeasure? NetNetWeightMeasure? GrossVolumeMeasure? NetVolumeMeasure? CustomerReference? AccountingCostCode? AccountingCost?
    LineCountNumeric? | ValidityPeriod* OrderReference+ OrderDocumentReference* OriginatorDocumentReference?
    AdditionalDocumentReference* Contract* Signature* SellerSupplierParty BuyerCustomerParty OriginatorCustomerParty?
    FreightForwarderParty? AccountingSupplierParty? AccountingCustomerParty? Delivery* DeliveryTerms? PaymentMeans* PaymentTerms*
    AllowanceCharge* TransactionConditions? TaxExchangeRate? PricingExchangeRate? PaymentExchangeRate? DestinationCountry? TaxTotal*
    LegalMonetaryTotal? OrderLine*
OrderChange: UBLVersionID? CustomizationID? ProfileID? ProfileExecutionID? ID? SalesOrderID? CopyIndicator? UUID? IssueDate IssueTime?
    SequenceNumberID Note* RequestedInvoiceCurrencyCode? DocumentCurrencyCode? PricingCurrencyCode? TaxCurrencyCode? CustomerReference?
    AccountingCostCode? AccountingCost? LineCountNumeric? | ValidityPeriod* OrderReference QuotationDocumentReference?
    OriginatorDocumentReference? AdditionalDocumentReference* Contract* Signature* BuyerCustomerParty SellerSupplierParty
    OriginatorCustomerParty? FreightForwarderParty? AccountingCustomerParty? AccountingSupplierParty? Delivery* DeliveryTerms?
    PaymentMeans* PaymentTerms* TransactionConditions? AllowanceCharge* TaxExchangeRate? PricingExchangeRate? PaymentExchangeRate?
    DestinationCountry? TaxTotal* AnticipatedMonetaryTotal? OrderLine+
OrderCancellation: UBLVersionID? CustomizationID? ProfileID? ProfileExecutionID? ID CopyIndicator? UUID? IssueDate IssueTime? Note*
    CancellationNote+ | OrderReference+ OriginatorDocumentReference? AdditionalDocumentReference* Contract* Signature*
    BuyerCustomerParty SellerSupplierParty OriginatorCustomerParty?
Catalogue: UBLVersionID? CustomizationID? ProfileID? ProfileExecutionID? ID UUID? ActionCode? Name? IssueDate IssueTime? RevisionDate?
    RevisionTime? Note* Description* VersionID? PreviousVersionID? LineCountNumeric? | ValidityPeriod* ReferencedContract*
    SourceCatalogueReference? DocumentReference* Signature* ProviderParty ReceiverParty SellerSupplierParty? ContractorCustomerParty?
    TradingTerms* CatalogueLine+
DespatchAdvice: UBLVersionID? CustomizationID? ProfileID? ProfileExecutionID? ID CopyIndicator? UUID? IssueDate IssueTime?
    DocumentStatusCode? DespatchAdviceTypeCode? Note* LineCountNumeric? | OrderReference* AdditionalDocumentReference* Signature*
    DespatchSupplierParty DeliveryCustomerParty BuyerCustomerParty? SellerSupplierParty? OriginatorCustomerParty? Shipment?
    DespatchLine+
ApplicationResponse: UBLVersionID? CustomizationID? ProfileID? ProfileExecutionID? ID UUID? IssueDate IssueTime? ResponseDate?
    ResponseTime? Note* VersionID? | Signature* SenderParty ReceiverParty DocumentResponse*
`;

export const AGGREGATES_21 = `
Address: ID? AddressTypeCode? AddressFormatCode? Postbox? Floor? Room? StreetName? AdditionalStreetName? BlockName? BuildingName?
    BuildingNumber? InhouseMail? Department? MarkAttention? MarkCare? PlotIdentification? CitySubdivisionName? CityName? PostalZone?
    CountrySubentity? CountrySubentityCode? Region? District? TimezoneOffset? | AddressLine* Country? LocationCoordinate*
AddressLine: Line
AirTransport: AircraftID
AllowanceCharge: ID? ChargeIndicator AllowanceChargeReasonCode? AllowanceChargeReason* MultiplierFactorNumeric? PrepaidIndicator?
    SequenceNumeric? Amount BaseAmount? AccountingCostCode? AccountingCost? PerUnitAmount? | TaxCategory* TaxTotal? PaymentMeans*
Attachment: EmbeddedDocumentBinaryObject? | ExternalReference?
BillingReference: | InvoiceDocumentReference? SelfBilledInvoiceDocumentReference? CreditNoteDocumentReference?
    SelfBilledCreditNoteDocumentReference? DebitNoteDocumentReference? ReminderDocumentReference? AdditionalDocumentReference?
    BillingReferenceLine*
BillingReferenceLine: ID Amount? | AllowanceCharge*
Branch: ID? Name? | FinancialInstitution? Address?
CardAccount: PrimaryAccountNumberID NetworkID CardTypeCode? ValidityStartDate? ExpiryDate? IssuerID? IssueNumberID? CV2ID? CardChipCode?
    ChipApplicationID? HolderName?
CatalogueLine: ID ActionCode? LifeCycleStatusCode? ContractSubdivision? Note* OrderableIndicator? OrderableUnit? ContentUnitQuantity?
    OrderQuantityIncrementNumeric? MinimumOrderQuantity? MaximumOrderQuantity? WarrantyInformation* PackLevelCode? |
    ContractorCustomerParty? SellerSupplierParty? WarrantyParty? WarrantyValidityPeriod? LineValidityPeriod? ItemComparison*
    ComponentRelatedItem* AccessoryRelatedItem* RequiredRelatedItem* ReplacementRelatedItem* ComplementaryRelatedItem*
    ReplacedRelatedItem* RequiredItemLocationQuantity* DocumentReference* Item KeywordItemProperty* CallForTendersLineReference?
    CallForTendersDocumentReference?
CatalogueReference: ID UUID? IssueDate? IssueTime? RevisionDate? RevisionTime? Note* Description* VersionID? PreviousVersionID?
Certificate: ID CertificateTypeCode CertificateType Remarks* | IssuerParty DocumentReference* Signature*
Clause: ID? Content*
CommodityClassification: NatureCode? CargoTypeCode? CommodityCode? ItemClassificationCode?
Communication: ChannelCode? Channel? Value?
Condition: AttributeID Measure? Description* MinimumMeasure? MaximumMeasure?
Consignment: ID CarrierAssignedID? ConsigneeAssignedID? ConsignorAssignedID? FreightForwarderAssignedID? BrokerAssignedID?
    ContractedCarrierAssignedID? PerformingCarrierAssignedID? SummaryDescription* TotalInvoiceAmount? DeclaredCustomsValueAmount?
    TariffDescription* TariffCode? InsurancePremiumAmount? GrossWeightMeasure? NetWeightMeasure? NetNetWeightMeasure?
    ChargeableWeightMeasure? GrossVolumeMeasure? NetVolumeMeasure? LoadingLengthMeasure? Remarks* HazardousRiskIndicator?
    AnimalFoodIndicator? HumanFoodIndicator? LivestockIndicator? BulkCargoIndicator? ContainerizedIndicator? GeneralCargoIndicator?
    SpecialSecurityIndicator? ThirdPartyPayerIndicator? CarrierServiceInstructions* CustomsClearanceServiceInstructions*
    ForwarderServiceInstructions* SpecialServiceInstructions* SequenceID? ShippingPriorityLevelCode? HandlingCode? HandlingInstructions*
    Information* TotalGoodsItemQuantity? TotalTransportHandlingUnitQuantity? InsuranceValueAmount? DeclaredForCarriageValueAmount?
    DeclaredStatisticsValueAmount? FreeOnBoardValueAmount? SpecialInstructions* SplitConsignmentIndicator? DeliveryInstructions*
    ConsignmentQuantity? ConsolidatableIndicator? HaulageInstructions* LoadingSequenceID? ChildConsignmentQuantity?
    TotalPackagesQuantity? | ConsolidatedShipment* CustomsDeclaration* RequestedPickupTransportEvent? RequestedDeliveryTransportEvent?
    PlannedPickupTransportEvent? PlannedDeliveryTransportEvent? Status* ChildConsignment* ConsigneeParty? ExporterParty? ConsignorParty?
    ImporterParty? CarrierParty? FreightForwarderParty? NotifyParty? OriginalDespatchParty? FinalDeliveryParty? PerformingCarrierParty?
    SubstituteCarrierParty? LogisticsOperatorParty? TransportAdvisorParty? HazardousItemNotificationParty? InsuranceParty?
    MortgageHolderParty? BillOfLadingHolderParty? OriginalDepartureCountry? FinalDestinationCountry? TransitCountry* TransportContract?
    TransportEvent* OriginalDespatchTransportationService? FinalDeliveryTransportationService? DeliveryTerms? PaymentTerms?
    CollectPaymentTerms? DisbursementPaymentTerms? PrepaidPaymentTerms? FreightAllowanceCharge* ExtraAllowanceCharge*
    MainCarriageShipmentStage* PreCarriageShipmentStage* OnCarriageShipmentStage* TransportHandlingUnit* FirstArrivalPortLocation?
    LastExitPortLocation?
Contact: ID? Name? Telephone? Telefax? ElectronicMail? Note* | OtherCommunication*
Contract: ID? IssueDate? IssueTime? NominationDate? NominationTime? ContractTypeCode? ContractType? Note* VersionID? Description* |
    ValidityPeriod? ContractDocumentReference* NominationPeriod? ContractualDelivery?
CorporateRegistrationScheme: ID? Name? CorporateRegistrationTypeCode? | JurisdictionRegionAddress*
Country: IdentificationCode? Name?
CreditAccount: AccountID
CreditNoteLine: ID UUID? Note* CreditedQuantity? LineExtensionAmount? TaxPointDate? AccountingCostCode? AccountingCost?
    PaymentPurposeCode? FreeOfChargeIndicator? | InvoicePeriod* OrderLineReference* DiscrepancyResponse* DespatchLineReference*
    ReceiptLineReference* BillingReference* DocumentReference* PricingReference? OriginatorParty? Delivery* PaymentTerms* TaxTotal*
    AllowanceCharge* Item? Price? DeliveryTerms* SubCreditNoteLine* ItemPriceExtension?
CustomerParty: CustomerAssignedAccountID? SupplierAssignedAccountID? AdditionalAccountID* | Party? DeliveryContact? AccountingContact?
    BuyerContact?
CustomsDeclaration: ID | IssuerParty?
Delivery: ID? Quantity? MinimumQuantity? MaximumQuantity? ActualDeliveryDate? ActualDeliveryTime? LatestDeliveryDate?
    LatestDeliveryTime? ReleaseID? TrackingID? | DeliveryAddress? DeliveryLocation? AlternativeDeliveryLocation?
    RequestedDeliveryPeriod? PromisedDeliveryPeriod? EstimatedDeliveryPeriod? CarrierParty? DeliveryParty? NotifyParty* Despatch?
    DeliveryTerms* MinimumDeliveryUnit? MaximumDeliveryUnit? Shipment?
DeliveryTerms: ID? SpecialTerms* LossRiskResponsibilityCode? LossRisk* Amount? | DeliveryLocation? AllowanceCharge?
DeliveryUnit: BatchQuantity ConsumerUnitQuantity? HazardousRiskIndicator?
DependentPriceReference: Percent? | LocationAddress? DependentLineReference?
Despatch: ID? RequestedDespatchDate? RequestedDespatchTime? EstimatedDespatchDate? EstimatedDespatchTime? ActualDespatchDate?
    ActualDespatchTime? GuaranteedDespatchDate? GuaranteedDespatchTime? ReleaseID? Instructions* | DespatchAddress? DespatchLocation?
    DespatchParty? CarrierParty? NotifyParty* Contact? EstimatedDespatchPeriod? RequestedDespatchPeriod?
DespatchLine: ID UUID? Note* LineStatusCode? DeliveredQuantity? BackorderQuantity? BackorderReason* OutstandingQuantity?
    OutstandingReason* OversupplyQuantity? | OrderLineReference+ DocumentReference* Item Shipment*
Dimension: AttributeID Measure? Description* MinimumMeasure? MaximumMeasure?
DocumentReference: ID CopyIndicator? UUID? IssueDate? IssueTime? DocumentTypeCode? DocumentType? XPath* LanguageID? LocaleCode?
    VersionID? DocumentStatusCode? DocumentDescription* | Attachment? ValidityPeriod? IssuerParty? ResultOfVerification?
DocumentResponse: | Response DocumentReference+ IssuerParty? RecipientParty? LineResponse*
EmissionCalculationMethod: CalculationMethodCode? FullnessIndicationCode? | MeasurementFromLocation? MeasurementToLocation?
EnvironmentalEmission: EnvironmentalEmissionTypeCode ValueMeasure Description* | EmissionCalculationMethod*
ExchangeRate: SourceCurrencyCode SourceCurrencyBaseRate? TargetCurrencyCode TargetCurrencyBaseRate? ExchangeMarketID? CalculationRate?
    MathematicOperatorCode? Date? | ForeignExchangeContract?
ExternalReference: URI? DocumentHash? HashAlgorithmMethod? ExpiryDate? ExpiryTime? MimeCode? FormatCode? EncodingCode? CharacterSetCode?
    FileName? Description*
FinancialAccount: ID? Name? AliasName? AccountTypeCode? AccountFormatCode? CurrencyCode? PaymentNote* | FinancialInstitutionBranch?
    Country?
FinancialInstitution: ID? Name? | Address?
GoodsItem: ID? SequenceNumberID? Description* HazardousRiskIndicator? DeclaredCustomsValueAmount? DeclaredForCarriageValueAmount?
    DeclaredStatisticsValueAmount? FreeOnBoardValueAmount? InsuranceValueAmount? ValueAmount? GrossWeightMeasure? NetWeightMeasure?
    NetNetWeightMeasure? ChargeableWeightMeasure? GrossVolumeMeasure? NetVolumeMeasure? Quantity? PreferenceCriterionCode?
    RequiredCustomsID? CustomsStatusCode? CustomsTariffQuantity? CustomsImportClassifiedIndicator? ChargeableQuantity?
    ReturnableQuantity? TraceID? | Item* GoodsItemContainer* FreightAllowanceCharge* InvoiceLine* Temperature* ContainedGoodsItem*
    OriginAddress? Delivery? Pickup? Despatch? MeasurementDimension* ContainingPackage* ShipmentDocumentReference? MinimumTemperature?
    MaximumTemperature?
GoodsItemContainer: ID Quantity? | TransportEquipment*
HazardousGoodsTransit: TransportEmergencyCardCode? PackingCriteriaCode? HazardousRegulationCode? InhalationToxicityZoneCode?
    TransportAuthorizationCode? | MaximumTemperature? MinimumTemperature?
HazardousItem: ID? PlacardNotation? PlacardEndorsement? AdditionalInformation* UNDGCode? EmergencyProceduresCode?
    MedicalFirstAidGuideCode? TechnicalName? CategoryName? HazardousCategoryCode? UpperOrangeHazardPlacardID?
    LowerOrangeHazardPlacardID? MarkingID? HazardClassID? NetWeightMeasure? NetVolumeMeasure? Quantity? | ContactParty? SecondaryHazard*
    HazardousGoodsTransit* EmergencyTemperature? FlashpointTemperature? AdditionalTemperature*
InvoiceLine: ID UUID? Note* InvoicedQuantity? LineExtensionAmount TaxPointDate? AccountingCostCode? AccountingCost? PaymentPurposeCode?
    FreeOfChargeIndicator? | InvoicePeriod* OrderLineReference* DespatchLineReference* ReceiptLineReference* BillingReference*
    DocumentReference* PricingReference? OriginatorParty? Delivery* PaymentTerms* AllowanceCharge* TaxTotal* WithholdingTaxTotal* Item
    Price? DeliveryTerms? SubInvoiceLine* ItemPriceExtension?
Item: Description* PackQuantity? PackSizeNumeric? CatalogueIndicator? Name? HazardousRiskIndicator? AdditionalInformation* Keyword*
    BrandName* ModelName* | BuyersItemIdentification? SellersItemIdentification? ManufacturersItemIdentification*
    StandardItemIdentification? CatalogueItemIdentification? AdditionalItemIdentification* CatalogueDocumentReference?
    ItemSpecificationDocumentReference* OriginCountry? CommodityClassification* TransactionConditions* HazardousItem*
    ClassifiedTaxCategory* AdditionalItemProperty* ManufacturerParty* InformationContentProviderParty? OriginAddress* ItemInstance*
    Certificate* Dimension*
ItemComparison: PriceAmount? Quantity?
ItemIdentification: ID ExtendedID? BarcodeSymbologyID? | PhysicalAttribute* MeasurementDimension* IssuerParty?
ItemInstance: ProductTraceID? ManufactureDate? ManufactureTime? BestBeforeDate? RegistrationID? SerialID? | AdditionalItemProperty*
    LotIdentification?
ItemLocationQuantity: LeadTimeMeasure? MinimumQuantity? MaximumQuantity? HazardousRiskIndicator? TradingRestrictions* |
    ApplicableTerritoryAddress* Price? DeliveryUnit* ApplicableTaxCategory* Package? AllowanceCharge* DependentPriceReference?
ItemProperty: ID? Name NameCode? TestMethod? Value? ValueQuantity? ValueQualifier* ImportanceCode? ListValue* | UsabilityPeriod?
    ItemPropertyGroup* RangeDimension? ItemPropertyRange?
ItemPropertyGroup: ID Name? ImportanceCode?
ItemPropertyRange: MinimumValue? MaximumValue?
Language: ID? Name? LocaleCode?
LineItem: ID SalesOrderID? UUID? Note* LineStatusCode? Quantity? LineExtensionAmount? TotalTaxAmount? MinimumQuantity? MaximumQuantity?
    MinimumBackorderQuantity? MaximumBackorderQuantity? InspectionMethodCode? PartialDeliveryIndicator? BackOrderAllowedIndicator?
    AccountingCostCode? AccountingCost? WarrantyInformation* | Delivery* DeliveryTerms? OriginatorParty? OrderedShipment*
    PricingReference? AllowanceCharge* Price? Item SubLineItem* WarrantyValidityPeriod? WarrantyParty? TaxTotal* ItemPriceExtension?
    LineReference*
LineReference: LineID UUID? LineStatusCode? | DocumentReference?
LineResponse: | LineReference Response+
Location: ID? Description* Conditions* CountrySubentity? CountrySubentityCode? LocationTypeCode? InformationURI? Name? | ValidityPeriod*
    Address? SubsidiaryLocation* LocationCoordinate*
LocationCoordinate: CoordinateSystemCode? LatitudeDegreesMeasure? LatitudeMinutesMeasure? LatitudeDirectionCode?
    LongitudeDegreesMeasure? LongitudeMinutesMeasure? LongitudeDirectionCode? AltitudeMeasure?
LotIdentification: LotNumberID? ExpiryDate? | AdditionalItemProperty*
MaritimeTransport: VesselID? VesselName? RadioCallSignID? ShipsRequirements* GrossTonnageMeasure? NetTonnageMeasure? |
    RegistryCertificateDocumentReference? RegistryPortLocation?
MonetaryTotal: LineExtensionAmount? TaxExclusiveAmount? TaxInclusiveAmount? AllowanceTotalAmount? ChargeTotalAmount? PrepaidAmount?
    PayableRoundingAmount? PayableAmount PayableAlternativeAmount?
OrderLine: SubstitutionStatusCode? Note* | LineItem SellerProposedSubstituteLineItem* SellerSubstitutedLineItem*
    BuyerProposedSubstituteLineItem* CatalogueLineReference? QuotationLineReference? OrderLineReference* DocumentReference*
OrderLineReference: LineID SalesOrderLineID? UUID? LineStatusCode? | OrderReference?
OrderReference: ID SalesOrderID? CopyIndicator? UUID? IssueDate? IssueTime? CustomerReference? OrderTypeCode? | DocumentReference?
OrderedShipment: | Shipment Package*
Package: ID? Quantity? ReturnableMaterialIndicator? PackageLevelCode? PackagingTypeCode? PackingMaterial* TraceID? | ContainedPackage*
    ContainingTransportEquipment? GoodsItem* MeasurementDimension* DeliveryUnit* Delivery? Pickup? Despatch?
Party: MarkCareIndicator? MarkAttentionIndicator? WebsiteURI? LogoReferenceID? EndpointID? IndustryClassificationCode? |
    PartyIdentification* PartyName* Language? PostalAddress? PhysicalLocation? PartyTaxScheme* PartyLegalEntity* Contact? Person*
    AgentParty? ServiceProviderParty* PowerOfAttorney* FinancialAccount?
PartyIdentification: ID
PartyLegalEntity: RegistrationName? CompanyID? RegistrationDate? RegistrationExpirationDate? CompanyLegalFormCode? CompanyLegalForm?
    SoleProprietorshipIndicator? CompanyLiquidationStatusCode? CorporateStockAmount? FullyPaidSharesIndicator? | RegistrationAddress?
    CorporateRegistrationScheme? HeadOfficeParty? ShareholderParty*
PartyName: Name
PartyTaxScheme: RegistrationName? CompanyID? TaxLevelCode? ExemptionReasonCode? ExemptionReason* | RegistrationAddress? TaxScheme
Payment: ID? PaidAmount? ReceivedDate? PaidDate? PaidTime? InstructionID?
PaymentMandate: ID? MandateTypeCode? MaximumPaymentInstructionsNumeric? MaximumPaidAmount? SignatureID? | PayerParty?
    PayerFinancialAccount? ValidityPeriod? PaymentReversalPeriod? Clause*
PaymentMeans: ID? PaymentMeansCode PaymentDueDate? PaymentChannelCode? InstructionID? InstructionNote* PaymentID* | CardAccount?
    PayerFinancialAccount? PayeeFinancialAccount? CreditAccount? PaymentMandate? TradeFinancing?
PaymentTerms: ID? PaymentMeansID* PrepaidPaymentReferenceID? Note* ReferenceEventCode? SettlementDiscountPercent?
    PenaltySurchargePercent? PaymentPercent? Amount? SettlementDiscountAmount? PenaltyAmount? PaymentTermsDetailsURI? PaymentDueDate?
    InstallmentDueDate? InvoicingPartyReference? | SettlementPeriod? PenaltyPeriod? ExchangeRate? ValidityPeriod?
Period: StartDate? StartTime? EndDate? EndTime? DurationMeasure? DescriptionCode* Description*
Person: ID? FirstName? FamilyName? Title? MiddleName? OtherName? NameSuffix? JobTitle? NationalityID? GenderCode? BirthDate?
    BirthplaceName? OrganizationDepartment? | Contact? FinancialAccount? IdentityDocumentReference* ResidenceAddress?
PhysicalAttribute: AttributeID PositionCode? DescriptionCode? Description*
Pickup: ID? ActualPickupDate? ActualPickupTime? EarliestPickupDate? EarliestPickupTime? LatestPickupDate? LatestPickupTime? |
    PickupLocation? PickupParty?
PowerOfAttorney: ID? IssueDate? IssueTime? Description* | NotaryParty? AgentParty WitnessParty* MandateDocumentReference*
Price: PriceAmount BaseQuantity? PriceChangeReason* PriceTypeCode? PriceType? OrderableUnitFactorRate? | ValidityPeriod* PriceList?
    AllowanceCharge* PricingExchangeRate?
PriceExtension: Amount | TaxTotal*
PriceList: ID? StatusCode? | ValidityPeriod* PreviousPriceList?
PricingReference: | OriginalItemLocationQuantity? AlternativeConditionPrice*
ProjectReference: ID UUID? IssueDate? | WorkPhaseReference*
RailTransport: TrainID RailCarID?
ReceiptLine: ID UUID? Note* ReceivedQuantity? ShortQuantity? ShortageActionCode? RejectedQuantity? RejectReasonCode? RejectReason*
    RejectActionCode? QuantityDiscrepancyCode? OversupplyQuantity? ReceivedDate? TimingComplaintCode? TimingComplaint? |
    OrderLineReference? DespatchLineReference* DocumentReference* Item* Shipment*
RelatedItem: ID? Quantity? Description*
Response: ReferenceID? ResponseCode? Description* EffectiveDate? EffectiveTime? | Status*
ResultOfVerification: ValidatorID? ValidationResultCode? ValidationDate? ValidationTime? ValidateProcess? ValidateTool?
    ValidateToolVersion? | SignatoryParty?
RoadTransport: LicensePlateID
SecondaryHazard: ID? PlacardNotation? PlacardEndorsement? EmergencyProceduresCode? Extension*
ServiceFrequency: WeekDayCode
ServiceProviderParty: ID? ServiceTypeCode? ServiceType* | Party SellerContact?
ShareholderParty: PartecipationPercent? | Party?
Shipment: ID ShippingPriorityLevelCode? HandlingCode? HandlingInstructions* Information* GrossWeightMeasure? NetWeightMeasure?
    NetNetWeightMeasure? GrossVolumeMeasure? NetVolumeMeasure? TotalGoodsItemQuantity? TotalTransportHandlingUnitQuantity?
    InsuranceValueAmount? DeclaredCustomsValueAmount? DeclaredForCarriageValueAmount? DeclaredStatisticsValueAmount?
    FreeOnBoardValueAmount? SpecialInstructions* DeliveryInstructions* SplitConsignmentIndicator? ConsignmentQuantity? | Consignment*
    GoodsItem* ShipmentStage* Delivery? TransportHandlingUnit* ReturnAddress? OriginAddress? FirstArrivalPortLocation?
    LastExitPortLocation? ExportCountry? FreightAllowanceCharge*
ShipmentStage: ID? TransportModeCode? TransportMeansTypeCode? TransitDirectionCode? PreCarriageIndicator? OnCarriageIndicator?
    EstimatedDeliveryDate? EstimatedDeliveryTime? RequiredDeliveryDate? RequiredDeliveryTime? LoadingSequenceID? SuccessiveSequenceID?
    Instructions* DemurrageInstructions* CrewQuantity? PassengerQuantity? | TransitPeriod? CarrierParty* TransportMeans?
    LoadingPortLocation? UnloadingPortLocation? TransshipPortLocation? LoadingTransportEvent? ExaminationTransportEvent?
    AvailabilityTransportEvent? ExportationTransportEvent? DischargeTransportEvent? WarehousingTransportEvent? TakeoverTransportEvent?
    OptionalTakeoverTransportEvent? DropoffTransportEvent? ActualPickupTransportEvent? DeliveryTransportEvent? ReceiptTransportEvent?
    StorageTransportEvent? AcceptanceTransportEvent? TerminalOperatorParty? CustomsAgentParty? EstimatedTransitPeriod?
    FreightAllowanceCharge* FreightChargeLocation? DetentionTransportEvent* RequestedDepartureTransportEvent?
    RequestedArrivalTransportEvent? RequestedWaypointTransportEvent* PlannedDepartureTransportEvent? PlannedArrivalTransportEvent?
    PlannedWaypointTransportEvent* ActualDepartureTransportEvent? ActualWaypointTransportEvent? ActualArrivalTransportEvent?
    TransportEvent* EstimatedDepartureTransportEvent? EstimatedArrivalTransportEvent? PassengerPerson* DriverPerson* ReportingPerson?
    CrewMemberPerson* SecurityOfficerPerson? MasterPerson? ShipsSurgeonPerson?
Signature: ID Note* ValidationDate? ValidationTime? ValidatorID? CanonicalizationMethod? SignatureMethod? | SignatoryParty?
    DigitalSignatureAttachment? OriginalDocumentReference?
Status: ConditionCode? ReferenceDate? ReferenceTime? Description* StatusReasonCode? StatusReason* SequenceID? Text* IndicationIndicator?
    Percent? ReliabilityPercent? | Condition*
Stowage: LocationID? Location* | MeasurementDimension*
SupplierParty: CustomerAssignedAccountID? AdditionalAccountID* DataSendingCapability? | Party? DespatchContact? AccountingContact?
    SellerContact?
TaxCategory: ID? Name? Percent? BaseUnitMeasure? PerUnitAmount? TaxExemptionReasonCode? TaxExemptionReason* TierRange? TierRatePercent?
    | TaxScheme
TaxScheme: ID? Name? TaxTypeCode? CurrencyCode? | JurisdictionRegionAddress*
TaxSubtotal: TaxableAmount? TaxAmount CalculationSequenceNumeric? TransactionCurrencyTaxAmount? Percent? BaseUnitMeasure? PerUnitAmount?
    TierRange? TierRatePercent? | TaxCategory
TaxTotal: TaxAmount RoundingAmount? TaxEvidenceIndicator? TaxIncludedIndicator? | TaxSubtotal*
Temperature: AttributeID Measure Description*
TradeFinancing: ID? FinancingInstrumentCode? | ContractDocumentReference? DocumentReference* FinancingParty FinancingFinancialAccount?
    Clause*
TradingTerms: Information* Reference? | ApplicableAddress?
TransactionConditions: ID? ActionCode? Description* | DocumentReference*
TransportEquipment: ID? ReferencedConsignmentID* TransportEquipmentTypeCode? ProviderTypeCode? OwnerTypeCode? SizeTypeCode?
    DispositionCode? FullnessIndicationCode? RefrigerationOnIndicator? Information* ReturnabilityIndicator? LegalStatusIndicator?
    AirFlowPercent? HumidityPercent? AnimalFoodApprovedIndicator? HumanFoodApprovedIndicator? DangerousGoodsApprovedIndicator?
    RefrigeratedIndicator? Characteristics? DamageRemarks* Description* SpecialTransportRequirements* GrossWeightMeasure?
    GrossVolumeMeasure? TareWeightMeasure? TrackingDeviceCode? PowerIndicator? TraceID? | MeasurementDimension* TransportEquipmentSeal*
    MinimumTemperature? MaximumTemperature? ProviderParty? LoadingProofParty? SupplierParty? OwnerParty? OperatingParty?
    LoadingLocation? UnloadingLocation? StorageLocation? PositioningTransportEvent* QuarantineTransportEvent* DeliveryTransportEvent*
    PickupTransportEvent* HandlingTransportEvent* LoadingTransportEvent* TransportEvent* ApplicableTransportMeans? HaulageTradingTerms*
    HazardousGoodsTransit* PackagedTransportHandlingUnit* ServiceAllowanceCharge* FreightAllowanceCharge* AttachedTransportEquipment*
    Delivery? Pickup? Despatch? ShipmentDocumentReference* ContainedInTransportEquipment* Package* GoodsItem*
TransportEquipmentSeal: ID SealIssuerTypeCode? Condition? SealStatusCode? SealingPartyType?
TransportEvent: IdentificationID? OccurrenceDate? OccurrenceTime? TransportEventTypeCode? Description* CompletionIndicator? |
    ReportedShipment? CurrentStatus* Contact* Location? Signature? Period*
TransportHandlingUnit: ID? TransportHandlingUnitTypeCode? HandlingCode? HandlingInstructions* HazardousRiskIndicator?
    TotalGoodsItemQuantity? TotalPackageQuantity? DamageRemarks* ShippingMarks* TraceID? | HandlingUnitDespatchLine* ActualPackage*
    ReceivedHandlingUnitReceiptLine* TransportEquipment* TransportMeans* HazardousGoodsTransit* MeasurementDimension*
    MinimumTemperature? MaximumTemperature? GoodsItem* FloorSpaceMeasurementDimension? PalletSpaceMeasurementDimension?
    ShipmentDocumentReference* Status* CustomsDeclaration* ReferencedShipment* Package*
TransportMeans: JourneyID? RegistrationNationalityID? RegistrationNationality* DirectionCode? TransportMeansTypeCode? TradeServiceCode?
    | Stowage? AirTransport? RoadTransport? RailTransport? MaritimeTransport? OwnerParty? MeasurementDimension*
TransportationService: TransportServiceCode TariffClassCode? Priority? FreightRateClassCode? TransportationServiceDescription*
    TransportationServiceDetailsURI? NominationDate? NominationTime? Name? SequenceNumeric? | TransportEquipment*
    SupportedTransportEquipment* UnsupportedTransportEquipment* CommodityClassification* SupportedCommodityClassification*
    UnsupportedCommodityClassification* TotalCapacityDimension? ShipmentStage* TransportEvent* ResponsibleTransportServiceProviderParty?
    EnvironmentalEmission* EstimatedDurationPeriod? ScheduledServiceFrequency*
WorkPhaseReference: ID? WorkPhaseCode? WorkPhase* ProgressPercent? StartDate? EndDate? | WorkOrderDocumentReference*
`;

/** Elements that have the type of another one: the type, and the elements. */
export const ROLES_21 = `
Address: ApplicableAddress ApplicableTerritoryAddress DeliveryAddress DespatchAddress JurisdictionRegionAddress LocationAddress
    OriginAddress PostalAddress RegistrationAddress ResidenceAddress ReturnAddress
AllowanceCharge: ExtraAllowanceCharge FreightAllowanceCharge ServiceAllowanceCharge
Attachment: DigitalSignatureAttachment
Branch: FinancialInstitutionBranch
CatalogueReference: SourceCatalogueReference
CommodityClassification: SupportedCommodityClassification UnsupportedCommodityClassification
Communication: OtherCommunication
Consignment: ChildConsignment
Contact: AccountingContact BuyerContact DeliveryContact DespatchContact SellerContact
Contract: ForeignExchangeContract ReferencedContract TransportContract
Country: DestinationCountry ExportCountry FinalDestinationCountry OriginCountry OriginalDepartureCountry TransitCountry
CreditNoteLine: SubCreditNoteLine
CustomerParty: AccountingCustomerParty BuyerCustomerParty ContractorCustomerParty DeliveryCustomerParty OriginatorCustomerParty
Delivery: ContractualDelivery
DeliveryUnit: MaximumDeliveryUnit MinimumDeliveryUnit
DespatchLine: HandlingUnitDespatchLine
Dimension: FloorSpaceMeasurementDimension MeasurementDimension PalletSpaceMeasurementDimension RangeDimension TotalCapacityDimension
DocumentReference: AdditionalDocumentReference CallForTendersDocumentReference CatalogueDocumentReference ContractDocumentReference
    CreditNoteDocumentReference DebitNoteDocumentReference DespatchDocumentReference IdentityDocumentReference InvoiceDocumentReference
    ItemSpecificationDocumentReference MandateDocumentReference OrderDocumentReference OriginalDocumentReference
    OriginatorDocumentReference QuotationDocumentReference ReceiptDocumentReference RegistryCertificateDocumentReference
    ReminderDocumentReference SelfBilledCreditNoteDocumentReference SelfBilledInvoiceDocumentReference ShipmentDocumentReference
    StatementDocumentReference WorkOrderDocumentReference
ExchangeRate: PaymentAlternativeExchangeRate PaymentExchangeRate PricingExchangeRate TaxExchangeRate
FinancialAccount: FinancingFinancialAccount PayeeFinancialAccount PayerFinancialAccount
GoodsItem: ContainedGoodsItem
InvoiceLine: SubInvoiceLine
ItemIdentification: AdditionalItemIdentification BuyersItemIdentification CatalogueItemIdentification ManufacturersItemIdentification
    SellersItemIdentification StandardItemIdentification
ItemLocationQuantity: OriginalItemLocationQuantity RequiredItemLocationQuantity
ItemProperty: AdditionalItemProperty KeywordItemProperty
LineItem: BuyerProposedSubstituteLineItem SellerProposedSubstituteLineItem SellerSubstitutedLineItem SubLineItem
LineReference: CallForTendersLineReference CatalogueLineReference DependentLineReference DespatchLineReference QuotationLineReference
    ReceiptLineReference
Location: AlternativeDeliveryLocation DeliveryLocation DespatchLocation FirstArrivalPortLocation FreightChargeLocation
    LastExitPortLocation LoadingLocation LoadingPortLocation MeasurementFromLocation MeasurementToLocation PhysicalLocation
    PickupLocation RegistryPortLocation StorageLocation SubsidiaryLocation TransshipPortLocation UnloadingLocation UnloadingPortLocation
MonetaryTotal: AnticipatedMonetaryTotal LegalMonetaryTotal
Package: ActualPackage ContainedPackage ContainingPackage
Party: AgentParty BillOfLadingHolderParty CarrierParty ConsigneeParty ConsignorParty ContactParty CustomsAgentParty DeliveryParty
    DespatchParty ExporterParty FinalDeliveryParty FinancingParty FreightForwarderParty HazardousItemNotificationParty HeadOfficeParty
    ImporterParty InformationContentProviderParty InsuranceParty IssuerParty LoadingProofParty LogisticsOperatorParty ManufacturerParty
    MortgageHolderParty NotaryParty NotifyParty OperatingParty OriginalDespatchParty OriginatorParty OwnerParty PayeeParty PayerParty
    PerformingCarrierParty PickupParty ProviderParty ReceiverParty RecipientParty ResponsibleTransportServiceProviderParty SenderParty
    SignatoryParty SubstituteCarrierParty TaxRepresentativeParty TerminalOperatorParty TransportAdvisorParty WarrantyParty WitnessParty
Payment: PrepaidPayment
PaymentTerms: CollectPaymentTerms DisbursementPaymentTerms PrepaidPaymentTerms
Period: EstimatedDeliveryPeriod EstimatedDespatchPeriod EstimatedDurationPeriod EstimatedTransitPeriod InvoicePeriod LineValidityPeriod
    NominationPeriod PaymentReversalPeriod PenaltyPeriod PromisedDeliveryPeriod RequestedDeliveryPeriod RequestedDespatchPeriod
    SettlementPeriod TransitPeriod UsabilityPeriod ValidityPeriod WarrantyValidityPeriod
Person: CrewMemberPerson DriverPerson MasterPerson PassengerPerson ReportingPerson SecurityOfficerPerson ShipsSurgeonPerson
Price: AlternativeConditionPrice
PriceExtension: ItemPriceExtension
PriceList: PreviousPriceList
ReceiptLine: ReceivedHandlingUnitReceiptLine
RelatedItem: AccessoryRelatedItem ComplementaryRelatedItem ComponentRelatedItem ReplacedRelatedItem ReplacementRelatedItem
    RequiredRelatedItem
Response: DiscrepancyResponse
ServiceFrequency: ScheduledServiceFrequency
Shipment: ConsolidatedShipment ReferencedShipment ReportedShipment
ShipmentStage: MainCarriageShipmentStage OnCarriageShipmentStage PreCarriageShipmentStage
Status: CurrentStatus
SupplierParty: AccountingSupplierParty DespatchSupplierParty SellerSupplierParty
TaxCategory: ApplicableTaxCategory ClassifiedTaxCategory
TaxTotal: WithholdingTaxTotal
Temperature: AdditionalTemperature EmergencyTemperature FlashpointTemperature MaximumTemperature MinimumTemperature
TradingTerms: HaulageTradingTerms
TransportEquipment: AttachedTransportEquipment ContainedInTransportEquipment ContainingTransportEquipment SupportedTransportEquipment
    UnsupportedTransportEquipment
TransportEvent: AcceptanceTransportEvent ActualArrivalTransportEvent ActualDepartureTransportEvent ActualPickupTransportEvent
    ActualWaypointTransportEvent AvailabilityTransportEvent DeliveryTransportEvent DetentionTransportEvent DischargeTransportEvent
    DropoffTransportEvent EstimatedArrivalTransportEvent EstimatedDepartureTransportEvent ExaminationTransportEvent
    ExportationTransportEvent HandlingTransportEvent LoadingTransportEvent OptionalTakeoverTransportEvent PickupTransportEvent
    PlannedArrivalTransportEvent PlannedDeliveryTransportEvent PlannedDepartureTransportEvent PlannedPickupTransportEvent
    PlannedWaypointTransportEvent PositioningTransportEvent QuarantineTransportEvent ReceiptTransportEvent
    RequestedArrivalTransportEvent RequestedDeliveryTransportEvent RequestedDepartureTransportEvent RequestedPickupTransportEvent
    RequestedWaypointTransportEvent StorageTransportEvent TakeoverTransportEvent WarehousingTransportEvent
TransportHandlingUnit: PackagedTransportHandlingUnit
TransportMeans: ApplicableTransportMeans
TransportationService: FinalDeliveryTransportationService OriginalDespatchTransportationService
`;
