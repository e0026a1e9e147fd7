// UBL 2.3 where it differs from UBL 2.1, as far as order change, order cancellation and order response reach: rows as in ubl21.ts.
// A row here replaces the row there. In 2.3 every aggregate may begin with ext:UBLExtensions, which the rows do not repeat.

export const DOCUMENTS_23 = `
OrderResponse: UBLVersionID? CustomizationID? ProfileID? ProfileExecutionID? ID SalesOrderID? CopyIndicator? UUID? IssueDate IssueTime?
    OrderResponseCode? Note* DocumentCurrencyCode? PricingCurrencyCode? TaxCurrencyCode? TotalPackagesQuantity? GrossWeightMeasure?
    NetWeightMeasure? NetNetWeightMeasure? GrossVolumeMeasure? NetVolumeMeasure? CustomerReference? AccountingCostCode? AccountingCost?
    LineCountNumeric? | ValidityPeriod* OrderReference+ OrderDocumentReference* OrderChangeDocumentReference*
    OriginatorDocumentReference? AdditionalDocumentReference* Contract* Signature* SellerSupplierParty BuyerCustomerParty
    OriginatorCustomerParty? FreightForwarderParty? AccountingSupplierParty? AccountingCustomerParty? Delivery* DeliveryTerms?
    PaymentMeans* PaymentTerms* AllowanceCharge* TransactionConditions? TaxExchangeRate? PricingExchangeRate? PaymentExchangeRate?
    DestinationCountry? TaxTotal* LegalMonetaryTotal? OrderLine*
`;

export const AGGREGATES_23 = `
Address: ID? AddressTypeCode? AddressFormatCode? Postbox? Floor? Room? StreetName? AdditionalStreetName? BlockName? BuildingName?
    BuildingNumber? Description* InhouseMail? Department? MarkAttention? MarkCare? PlotIdentification? CitySubdivisionName? CityName?
    PostalZone? CountrySubentity? CountrySubentityCode? Region? District? TimezoneOffset? | AddressLine* Country? LocationCoordinate*
Attachment: EmbeddedDocumentBinaryObject? EmbeddedDocument? | ExternalReference?
Authorization: PurposeCode? Purpose* | ValidityPeriod? Certificate*
BallastWaterSummary: ID? ManagementPlanOnBoardIndicator? ManagementPlanImplementedIndicator? IMOGuidelinesOnBoardIndicator?
    TotalBallastTanksOnBoardQuantity? TanksInBallastQuantity? TanksExchangedQuantity? TanksNotExchangedQuantity?
    TotalBallastWaterOnBoardMeasure? TotalBallastWaterCapacityMeasure? OtherControlActions* NoControlActionsReason* |
    UptakeBallastWaterTransaction* ExchangeBallastWaterTransaction* DischargeBallastWaterTransaction* ResponsibleOfficerPerson?
BallastWaterTransaction: TankID? TankTypeCode? ExchangeMethodCode? ExchangedPercent? VolumeMeasure? SeaHeightMeasure? SalinityMeasure?
    TransactionDate? | Location? BallastWaterTemperature?
CardAccount: PrimaryAccountNumberID NetworkID CardTypeCode? ValidityStartDate? ExpiryDate? IssuerID? IssueNumberID? CV2ID? CardChipCode?
    ChipApplicationID? HolderName? RoleCode?
Certificate: ID CertificateTypeCode? CertificateType* Remarks* | IssuerParty? DocumentReference* Signature*
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
    PlannedPickupTransportEvent? PlannedDeliveryTransportEvent? ActualPickupTransportEvent? ActualDeliveryTransportEvent? Status*
    ChildConsignment* ConsigneeParty? ExporterParty? ConsignorParty? ImporterParty? CarrierParty? FreightForwarderParty? NotifyParty?
    OriginalDespatchParty? FinalDeliveryParty? PerformingCarrierParty? SubstituteCarrierParty? LogisticsOperatorParty?
    TransportAdvisorParty? HazardousItemNotificationParty? InsuranceParty? MortgageHolderParty? BillOfLadingHolderParty?
    OriginalDepartureCountry? FinalDestinationCountry? TransitCountry* TransportContract? TransportEvent*
    OriginalDespatchTransportationService? FinalDeliveryTransportationService? DeliveryTerms? PaymentTerms? CollectPaymentTerms?
    DisbursementPaymentTerms? PrepaidPaymentTerms? FreightAllowanceCharge* ExtraAllowanceCharge* MainCarriageShipmentStage*
    PreCarriageShipmentStage* OnCarriageShipmentStage* TransportHandlingUnit* FirstArrivalPortLocation? LastExitPortLocation?
    OfficeOfEntryLocation? OfficeOfSubSequentiallyEntryLocation? OfficeOfExitLocation? OfficeOfDepartureLocation?
    OfficeOfDestinationLocation? OfficeOfImportLocation? OfficeOfExportLocation? DocumentReference*
Contact: ID? Name? JobTitle? Department? Telephone? Telefax? ElectronicMail? Note* | OtherCommunication*
Contract: ID? IssueDate? IssueTime? NominationDate? NominationTime? ContractTypeCode? ContractType? Note* VersionID?
    ModificationReasonCode? ModificationReasonDescription* Description* | ValidityPeriod? ContractDocumentReference* NominationPeriod?
    ContractualDelivery?
CrewPersonEffect: EffectDescription+ | CrewPerson?
CustomsDeclaration: ID | ValidityPeriod? ApplicableTerritoryAddress? Shipment? CustomsExitOfficeLocation? IssuerParty? ConsignorParty?
    ConsigneeParty? FreightForwarderParty? CustomsParty? PreviousCustomsDeclaration? AdditionalDocumentReference*
DespatchLine: ID UUID? Note* LineStatusCode? DeliveredQuantity? BackorderQuantity? BackorderReason* OutstandingQuantity?
    OutstandingReason* OversupplyQuantity? | OrderLineReference+ DocumentReference* Item Shipment* SubDespatchLine*
DocumentDistribution: ID? DocumentTypeCode? DistributionTypeCode? DistributionType* PrintQualifier? CopyIndicator? MaximumCopiesNumeric?
    MaximumOriginalsNumeric? | Communication? Party
DocumentReference: ID CopyIndicator? UUID? IssueDate? IssueTime? DocumentTypeCode? DocumentType* XPath*
    ReferencedDocumentInternalAddress? LanguageID? LocaleCode? VersionID? DocumentStatusCode? DocumentDescription* | Attachment?
    ValidityPeriod? IssuerParty? ResultOfVerification?
Event: IdentificationID? OccurrenceDate? OccurrenceTime? TypeCode? Description* CompletionIndicator? | CurrentStatus* Contact*
    OccurenceLocation?
GoodsItem: ID? SequenceNumberID? Description* HazardousRiskIndicator? DeclaredCustomsValueAmount? DeclaredForCarriageValueAmount?
    DeclaredStatisticsValueAmount? FreeOnBoardValueAmount? InsuranceValueAmount? ValueAmount? GrossWeightMeasure? NetWeightMeasure?
    NetNetWeightMeasure? ChargeableWeightMeasure? GrossVolumeMeasure? NetVolumeMeasure? Quantity? PreferenceCriterionCode?
    RequiredCustomsID? CustomsStatusCode? CustomsProcedureCode? CustomsTariffQuantity? CustomsImportClassifiedIndicator?
    ChargeableQuantity? ReturnableQuantity? TraceID? | Item* GoodsItemContainer* FreightAllowanceCharge* InvoiceLine*
    OrderLineReference* Temperature* ContainedGoodsItem* OriginAddress? Delivery? Pickup? Despatch? MeasurementDimension*
    ContainingPackage* ShipmentDocumentReference? MinimumTemperature? MaximumTemperature?
HazardousGoodsTransit: TransportEmergencyCardCode? PackingCriteriaCode? HazardousRegulationCode? InhalationToxicityZoneCode?
    TransportAuthorizationCode? TransitDescription* | MaximumTemperature? MinimumTemperature?
HazardousItem: ID? PlacardNotation? PlacardEndorsement? AdditionalInformation* UNDGCode? UNPackingGroupCode? UNPackingGroup*
    EmergencyProceduresCode? MedicalFirstAidGuideCode? TunnelRestrictionCode? MaritimePollutantCode? TechnicalName? CategoryName?
    HazardousCategoryCode? UpperOrangeHazardPlacardID? LowerOrangeHazardPlacardID? MarkingID? HazardClassID? NetWeightMeasure?
    NetVolumeMeasure? Quantity? | ContactParty? SecondaryHazard* HazardousGoodsTransit* EmergencyTemperature? FlashpointTemperature?
    AdditionalTemperature* PositionOnBoardStowage?
ISPSRequirements: ID ValidISSCIndicator? ISSCAbsenceReason* ISSCExpiryDate? SSPOnBoardIndicator? SSPSecurityMeasuresAppliedIndicator?
    CurrentOperatingSecurityLevelCode? AdditionalMattersDescription* | AdditionalSecurityMeasure* PortCallRecord*
    ShipToShipActivityRecord* ReportLocation? ISSCIssuerParty? SecurityOfficerPerson?
InvoiceLine: ID UUID? Note* InvoicedQuantity? LineExtensionAmount TaxInclusiveLineExtensionAmount? TaxPointDate? AccountingCostCode?
    AccountingCost? PaymentPurposeCode? FreeOfChargeIndicator? | InvoicePeriod* OrderLineReference* DespatchLineReference*
    ReceiptLineReference* BillingReference* DocumentReference* PricingReference? OriginatorParty? Delivery* PaymentTerms*
    AllowanceCharge* TaxTotal* WithholdingTaxTotal* Item Price? DeliveryTerms? SubInvoiceLine* ItemPriceExtension?
ItemIdentification: ID ExtendedID? BarcodeSymbologyID? IssuerScopeID? | PhysicalAttribute* MeasurementDimension* IssuerParty?
ItemProperty: ID? Name NameCode? TestMethod? Value? ValueQuantity? ValueQualifier* ImportanceCode? ListValue* | UsabilityPeriod?
    ItemPropertyGroup* RangeDimension? ItemPropertyRange? StandardPropertyIdentification? SubItemProperty*
LineItem: ID SalesOrderID? UUID? Note* LineStatusCode? Quantity? LineExtensionAmount? TaxInclusiveLineExtensionAmount? TotalTaxAmount?
    MinimumQuantity? MaximumQuantity? MinimumBackorderQuantity? MaximumBackorderQuantity? InspectionMethodCode?
    PartialDeliveryIndicator? BackOrderAllowedIndicator? AccountingCostCode? AccountingCost? WarrantyInformation* | Delivery*
    DeliveryTerms? OriginatorParty? OrderedShipment* PricingReference? AllowanceCharge* Price? Item SubLineItem* WarrantyValidityPeriod?
    WarrantyParty? TaxTotal* ItemPriceExtension? LineReference*
Location: ID? Description* Conditions* CountrySubentity? CountrySubentityCode? LocationTypeCode? InformationURI? Name? | ValidityPeriod*
    Address? Storage? SubsidiaryLocation* LocationCoordinate*
MaritimeHealthDeclaration: ID? InfectiousDiseaseCaseOnBoardIndicator? MoreIllThanExpectedIndicator?
    MedicalPractitionerConsultedIndicator? StowawaysFoundOnBoardIndicator? SickAnimalOnBoardIndicator? FumigatedCargoTransportIndicator?
    SanitaryMeasuresAppliedIndicator? ValidSanitationCertificateOnBoardIndicator? ReinspectionRequiredIndicator?
    TotalDeadPersonQuantity? TotalIllPersonQuantity? SickAnimalDescription* StowawayDescription* LastDrinkingWaterAnalysisDate? |
    WHOAffectedAreaVisit* PersonnelHealthIncident* SanitaryMeasure* PlaceOfReportLocation? MedicalCertificate?
    ShipSanitationControlCertificate? ShipSanitationControlExemptionDocumentReference*
MaritimeTransport: VesselID? VesselName? RadioCallSignID? MMSIRegistrationID? ShipsRequirements* GrossTonnageMeasure? NetTonnageMeasure?
    SegregatedBallastMeasure? ShipConfigurationCode? INFShipClassCode? AntennaLocus? | RegistryCertificateDocumentReference?
    RegistryPortLocation? VesselDynamics?
MaritimeWaste: ID? Description* WasteTypeCode? ToBeDeliveredMeasure? RetainedOnBoardMeasure? MaxDedicatedStorageCapacityMeasure?
    EstimatedGeneratedUntilNextPortMeasure? | RemainingWasteDeliveryPortLocation*
MonetaryTotal: LineExtensionAmount? TaxExclusiveAmount? TaxInclusiveAmount? AllowanceTotalAmount? ChargeTotalAmount?
    WithholdingTaxTotalAmount? PrepaidAmount? PayableRoundingAmount? PayableAmount PayableAlternativeAmount?
Package: ID? Quantity? ReturnableMaterialIndicator? PackageLevelCode? PackagingTypeCode? PackagingType* PackingMaterial* TraceID? |
    ContainedPackage* ContainingTransportEquipment? GoodsItem* MeasurementDimension* DeliveryUnit* Delivery? Pickup? Despatch?
Party: MarkCareIndicator? MarkAttentionIndicator? WebsiteURI? LogoReferenceID? EndpointID? IndustryClassificationCode? |
    PartyIdentification* PartyName* Language? PostalAddress? PhysicalLocation? PartyTaxScheme* PartyLegalEntity* Contact? Person*
    AgentParty? ServiceProviderParty* PowerOfAttorney* PartyAuthorization* FinancialAccount? AdditionalWebSite* SocialMediaProfile*
PartyLegalEntity: RegistrationName? CompanyID? RegistrationDate? RegistrationExpirationDate? CompanyLegalFormCode? CompanyLegalForm*
    SoleProprietorshipIndicator? CompanyLiquidationStatusCode? CorporateStockAmount? FullyPaidSharesIndicator? | RegistrationAddress?
    CorporateRegistrationScheme? HeadOfficeParty? ShareholderParty*
PaymentMeans: ID? PaymentMeansCode PaymentDueDate? PaymentChannelCode? InstructionID? InstructionNote* PaymentID* ChargeBearerCode?
    ServiceLevelCode? | CardAccount* PayerFinancialAccount? PayeeFinancialAccount? CreditAccount? PaymentMandate? TradeFinancing?
    RemittanceDocumentDistribution*
Person: ID? FirstName? FamilyName? Title? MiddleName? OtherName? NameSuffix? JobTitle? NationalityID? GenderCode? BirthDate?
    BirthplaceName? OrganizationDepartment? RoleCode? | BirthplaceLocation? CitizenshipCountry? Contact? FinancialAccount?
    IdentityDocumentReference* ResidenceAddress?
PersonnelHealthIncident: ID JoinedShipDate? NatureOfIllnessDescription+ OnsetDate? ReportedToMedicalOfficerIndicator?
    GivenTreatmentDescription* StillIllIndicator? DiedIndicator? StillOnBoardIndicator? EvacuatedIndicator? BuriedAtSeaIndicator? Note*
    | Person?
PortCall: ID? PlannedOperationsDescription* PlannedWorksDescription* PlannedInspectionsDescription* ExpectedAnchorageIndicator?
    PositionInPortID? CargoAndBallastTankConditionDescription* | ShipRequirement* PrimaryPortCallPurpose? AdditionalPortCallPurpose*
    RequestedArrivalEvent?
PortCallPurpose: PurposeTypeCode? PurposeType* Description*
PortCallRecord: ID? SecurityLevelCode? | SecurityMeasure* PortFacilityLocation? Period?
Price: PriceAmount BaseQuantity? PriceChangeReason* PriceTypeCode? PriceType? OrderableUnitFactorRate? | ValidityPeriod* PriceList?
    AllowanceCharge* PricingExchangeRate? AlternativeCurrencyPrice*
PropertyIdentification: ID IssuerScopeID? | IssuerParty?
SanitaryMeasure: SanitaryMeasureTypeCode ApplicationDate?
SecurityMeasure: ID? Description+
ShipRequirement: ID? Description+
ShipStoreArticle: ID Name? Quantity? OfficialUse* | Stowage?
ShipToShipActivityRecord: ID? Description+ | AppliedSecurityMeasure* Period? Location?
Shipment: ID? ShippingPriorityLevelCode? HandlingCode? HandlingInstructions* Information* GrossWeightMeasure? NetWeightMeasure?
    NetNetWeightMeasure? GrossVolumeMeasure? NetVolumeMeasure? TotalGoodsItemQuantity? TotalTransportHandlingUnitQuantity?
    InsuranceValueAmount? DeclaredCustomsValueAmount? DeclaredForCarriageValueAmount? DeclaredStatisticsValueAmount?
    FreeOnBoardValueAmount? SpecialInstructions* DeliveryInstructions* SplitConsignmentIndicator? ConsignmentQuantity? | Consignment*
    GoodsItem* ShipmentStage* Delivery? TransportHandlingUnit* ReturnAddress? OriginAddress? FirstArrivalPortLocation?
    LastExitPortLocation? ExportCountry? FreightAllowanceCharge*
ShipmentStage: ID? ShipmentStageTypeCode? ShipmentStageType* TransportModeCode? TransportMeansTypeCode? TransitDirectionCode?
    PreCarriageIndicator? OnCarriageIndicator? CabotageIndicator? HazardousRiskIndicator? EstimatedDeliveryDate? EstimatedDeliveryTime?
    RequiredDeliveryDate? RequiredDeliveryTime? LoadingSequenceID? SuccessiveSequenceID? Instructions* DemurrageInstructions*
    CrewQuantity? PassengerQuantity? | TransitPeriod? CarrierParty* TransportMeans? LoadingPortLocation? UnloadingPortLocation?
    TransshipPortLocation? LoadingTransportEvent? ExaminationTransportEvent? AvailabilityTransportEvent? ExportationTransportEvent?
    DischargeTransportEvent? WarehousingTransportEvent? TakeoverTransportEvent? OptionalTakeoverTransportEvent? DropoffTransportEvent?
    ActualPickupTransportEvent? DeliveryTransportEvent? ReceiptTransportEvent? StorageTransportEvent? AcceptanceTransportEvent?
    TerminalOperatorParty? CustomsAgentParty? EstimatedTransitPeriod? FreightAllowanceCharge* FreightChargeLocation?
    DetentionTransportEvent* RequestedDepartureTransportEvent? RequestedArrivalTransportEvent? RequestedWaypointTransportEvent*
    PlannedDepartureTransportEvent? PlannedArrivalTransportEvent? PlannedWaypointTransportEvent* ActualDepartureTransportEvent?
    ActualWaypointTransportEvent? ActualArrivalTransportEvent? TransportEvent* EstimatedDepartureTransportEvent?
    EstimatedArrivalTransportEvent? PassengerPerson* DriverPerson* ReportingPerson? CrewMemberPerson* SecurityOfficerPerson?
    MasterPerson? ShipsSurgeonPerson? DestinationPortCall? ShipStoreArticle* CrewPersonEffect* MaritimeWaste* BallastWaterSummary?
    ISPSRequirements? MaritimeHealthDeclaration?
Signature: ID ReasonCode? Note* ValidationDate? ValidationTime? ValidatorID? CanonicalizationMethod? SignatureMethod? | SignatoryParty?
    DigitalSignatureAttachment? OriginalDocumentReference?
SocialMediaProfile: ID? Name? SocialMediaTypeCode? URI
Status: ConditionCode? ReferenceDate? ReferenceTime? Description* StatusReasonCode? StatusReason* SequenceID? Text* IndicationIndicator?
    Percent? ReliabilityPercent? | SubStatus* Condition*
Storage: ID Name? GateID? AirFlowPercent? HumidityPercent? AnimalFoodApprovedIndicator? HumanFoodApprovedIndicator?
    DangerousGoodsApprovedIndicator? RefrigeratedIndicator? PowerIndicator? | MinimumTemperature? MaximumTemperature? Certificate*
TaxTotal: TaxAmount CalculationSequenceNumeric? RoundingAmount? TaxEvidenceIndicator? TaxIncludedIndicator? | TaxSubtotal*
Temperature: AttributeID? Measure? MeasureCode? Description*
TransportEquipment: ID? ReferencedConsignmentID* TransportEquipmentTypeCode? ProviderTypeCode? OwnerTypeCode? SizeTypeCode?
    DispositionCode? FullnessIndicationCode? RefrigerationOnIndicator? Information* ReturnabilityIndicator? LegalStatusIndicator?
    AirFlowPercent? HumidityPercent? AnimalFoodApprovedIndicator? HumanFoodApprovedIndicator? DangerousGoodsApprovedIndicator?
    RefrigeratedIndicator? Characteristics? DamageRemarks* Description* SpecialTransportRequirements* GrossWeightMeasure?
    GrossVolumeMeasure? TareWeightMeasure? TrackingDeviceCode? PowerIndicator? TraceID? | MeasurementDimension* TransportEquipmentSeal*
    MinimumTemperature? MaximumTemperature? ProviderParty? LoadingProofParty? SupplierParty? OwnerParty? OperatingParty?
    LoadingLocation? UnloadingLocation? StorageLocation? PositioningTransportEvent* QuarantineTransportEvent* DeliveryTransportEvent*
    PickupTransportEvent* HandlingTransportEvent* LoadingTransportEvent* TransportEvent* ApplicableTransportMeans? HaulageTradingTerms*
    HazardousGoodsTransit* PackagedTransportHandlingUnit* ServiceAllowanceCharge* FreightAllowanceCharge* AttachedTransportEquipment*
    Delivery? Pickup? Despatch? ShipmentDocumentReference* ContainedInTransportEquipment* Package* GoodsItem* VerifiedGrossMass?
VerifiedGrossMass: ID? WeighingDate? WeighingTime? WeighingMethodCode WeighingDeviceID? WeighingDeviceType? GrossMassMeasure |
    WeighingParty? ShipperParty? ResponsibleParty? DocumentReference+
VesselDynamics: NavigationStatusCode? AtAnchorageIndicator? CourseOverGroundDirection? SpeedOverGroundMeasure? RateOfTurnMeasure?
WHOAffectedAreaVisit: VisitDate | WHOAffectedAreaPortLocation
WebSite: ID? Name? Description* WebSiteTypeCode? URI | WebSiteAccess*
WebSiteAccess: URI? Password Login
`;

/** Roles that 2.1 does not have. */
export const ROLES_23 = `
Authorization: PartyAuthorization
BallastWaterTransaction: DischargeBallastWaterTransaction ExchangeBallastWaterTransaction UptakeBallastWaterTransaction
Certificate: MedicalCertificate ShipSanitationControlCertificate
Country: CitizenshipCountry
CustomsDeclaration: PreviousCustomsDeclaration
DespatchLine: SubDespatchLine
DocumentDistribution: RemittanceDocumentDistribution
DocumentReference: OrderChangeDocumentReference ShipSanitationControlExemptionDocumentReference
Event: RequestedArrivalEvent
ItemProperty: SubItemProperty
Location: BirthplaceLocation CustomsExitOfficeLocation OccurenceLocation OfficeOfDepartureLocation OfficeOfDestinationLocation
    OfficeOfEntryLocation OfficeOfExitLocation OfficeOfExportLocation OfficeOfImportLocation OfficeOfSubSequentiallyEntryLocation
    PlaceOfReportLocation PortFacilityLocation RemainingWasteDeliveryPortLocation ReportLocation WHOAffectedAreaPortLocation
Party: CustomsParty ISSCIssuerParty ResponsibleParty ShipperParty WeighingParty
Person: CrewPerson ResponsibleOfficerPerson
PortCall: DestinationPortCall
PortCallPurpose: AdditionalPortCallPurpose PrimaryPortCallPurpose
Price: AlternativeCurrencyPrice
PropertyIdentification: StandardPropertyIdentification
SecurityMeasure: AdditionalSecurityMeasure AppliedSecurityMeasure
Status: SubStatus
Stowage: PositionOnBoardStowage
Temperature: BallastWaterTemperature
TransportEvent: ActualDeliveryTransportEvent
WebSite: AdditionalWebSite
`;
