// UBL 2.3 where it differs from UBL 2.1, as far as order change, order cancellation and order response reach. In 2.3 every aggregate may
// begin with ext:UBLExtensions, which the rows do not repeat.

/**
 * What the rows of ubl21.ts of the same name hold otherwise: first what may occur less or more often, then behind which name (or the bar)
 * further ones stand.
 */
export const CHANGES_23 = `
OrderResponse: OrderDocumentReference> OrderChangeDocumentReference*
Address: BuildingNumber> Description*
Attachment: EmbeddedDocumentBinaryObject> EmbeddedDocument?
CardAccount: HolderName> RoleCode?
Certificate: CertificateTypeCode? CertificateType* IssuerParty?
Consignment: PlannedDeliveryTransportEvent> ActualPickupTransportEvent? ActualDeliveryTransportEvent? LastExitPortLocation>
    OfficeOfEntryLocation? OfficeOfSubSequentiallyEntryLocation? OfficeOfExitLocation? OfficeOfDepartureLocation?
    OfficeOfDestinationLocation? OfficeOfImportLocation? OfficeOfExportLocation? DocumentReference*
Contact: Name> JobTitle? Department?
Contract: VersionID> ModificationReasonCode? ModificationReasonDescription*
CustomsDeclaration: |> ValidityPeriod? ApplicableTerritoryAddress? Shipment? CustomsExitOfficeLocation? IssuerParty> ConsignorParty?
    ConsigneeParty? FreightForwarderParty? CustomsParty? PreviousCustomsDeclaration? AdditionalDocumentReference*
DespatchLine: Shipment> SubDespatchLine*
DocumentReference: DocumentType* XPath> ReferencedDocumentInternalAddress?
GoodsItem: CustomsStatusCode> CustomsProcedureCode? InvoiceLine> OrderLineReference*
HazardousGoodsTransit: TransportAuthorizationCode> TransitDescription*
HazardousItem: UNDGCode> UNPackingGroupCode? UNPackingGroup* MedicalFirstAidGuideCode> TunnelRestrictionCode? MaritimePollutantCode?
    AdditionalTemperature> PositionOnBoardStowage?
InvoiceLine: LineExtensionAmount> TaxInclusiveLineExtensionAmount?
ItemIdentification: BarcodeSymbologyID> IssuerScopeID?
ItemProperty: ItemPropertyRange> StandardPropertyIdentification? SubItemProperty*
LineItem: LineExtensionAmount> TaxInclusiveLineExtensionAmount?
Location: Address> Storage?
MaritimeTransport: RadioCallSignID> MMSIRegistrationID? NetTonnageMeasure> SegregatedBallastMeasure? ShipConfigurationCode?
    INFShipClassCode? AntennaLocus? RegistryPortLocation> VesselDynamics?
MonetaryTotal: ChargeTotalAmount> WithholdingTaxTotalAmount?
Package: PackagingTypeCode> PackagingType*
Party: PowerOfAttorney> PartyAuthorization* FinancialAccount> AdditionalWebSite* SocialMediaProfile*
PartyLegalEntity: CompanyLegalForm*
PaymentMeans: CardAccount* PaymentID> ChargeBearerCode? ServiceLevelCode? TradeFinancing> RemittanceDocumentDistribution*
Person: OrganizationDepartment> RoleCode? |> BirthplaceLocation? CitizenshipCountry?
Price: PricingExchangeRate> AlternativeCurrencyPrice*
Shipment: ID?
ShipmentStage: ID> ShipmentStageTypeCode? ShipmentStageType* OnCarriageIndicator> CabotageIndicator? HazardousRiskIndicator?
    ShipsSurgeonPerson> DestinationPortCall? ShipStoreArticle* CrewPersonEffect* MaritimeWaste* BallastWaterSummary? ISPSRequirements?
    MaritimeHealthDeclaration?
Signature: ID> ReasonCode?
Status: |> SubStatus*
TaxTotal: TaxAmount> CalculationSequenceNumeric?
Temperature: AttributeID? Measure? Measure> MeasureCode?
TransportEquipment: GoodsItem> VerifiedGrossMass?
`;

/** Rows as in ubl21.ts. */
export const AGGREGATES_23 = `
Authorization: PurposeCode? Purpose* | ValidityPeriod? Certificate*
BallastWaterSummary: ID? ManagementPlanOnBoardIndicator? ManagementPlanImplementedIndicator? IMOGuidelinesOnBoardIndicator?
    TotalBallastTanksOnBoardQuantity? TanksInBallastQuantity? TanksExchangedQuantity? TanksNotExchangedQuantity?
    TotalBallastWaterOnBoardMeasure? TotalBallastWaterCapacityMeasure? OtherControlActions* NoControlActionsReason* |
    UptakeBallastWaterTransaction* ExchangeBallastWaterTransaction* DischargeBallastWaterTransaction* ResponsibleOfficerPerson?
BallastWaterTransaction: TankID? TankTypeCode? ExchangeMethodCode? ExchangedPercent? VolumeMeasure? SeaHeightMeasure? SalinityMeasure?
    TransactionDate? | Location? BallastWaterTemperature?
CrewPersonEffect: EffectDescription+ | CrewPerson?
DocumentDistribution: ID? DocumentTypeCode? DistributionTypeCode? DistributionType* PrintQualifier? CopyIndicator? MaximumCopiesNumeric?
    MaximumOriginalsNumeric? | Communication? Party
Event: IdentificationID? OccurrenceDate? OccurrenceTime? TypeCode? Description* CompletionIndicator? | CurrentStatus* Contact*
    OccurenceLocation?
ISPSRequirements: ID ValidISSCIndicator? ISSCAbsenceReason* ISSCExpiryDate? SSPOnBoardIndicator? SSPSecurityMeasuresAppliedIndicator?
    CurrentOperatingSecurityLevelCode? AdditionalMattersDescription* | AdditionalSecurityMeasure* PortCallRecord*
    ShipToShipActivityRecord* ReportLocation? ISSCIssuerParty? SecurityOfficerPerson?
MaritimeHealthDeclaration: ID? InfectiousDiseaseCaseOnBoardIndicator? MoreIllThanExpectedIndicator? MedicalPractitionerConsultedIndicator?
    StowawaysFoundOnBoardIndicator? SickAnimalOnBoardIndicator? FumigatedCargoTransportIndicator? SanitaryMeasuresAppliedIndicator?
    ValidSanitationCertificateOnBoardIndicator? ReinspectionRequiredIndicator? TotalDeadPersonQuantity? TotalIllPersonQuantity?
    SickAnimalDescription* StowawayDescription* LastDrinkingWaterAnalysisDate? | WHOAffectedAreaVisit* PersonnelHealthIncident*
    SanitaryMeasure* PlaceOfReportLocation? MedicalCertificate? ShipSanitationControlCertificate?
    ShipSanitationControlExemptionDocumentReference*
MaritimeWaste: ID? Description* WasteTypeCode? ToBeDeliveredMeasure? RetainedOnBoardMeasure? MaxDedicatedStorageCapacityMeasure?
    EstimatedGeneratedUntilNextPortMeasure? | RemainingWasteDeliveryPortLocation*
PersonnelHealthIncident: ID JoinedShipDate? NatureOfIllnessDescription+ OnsetDate? ReportedToMedicalOfficerIndicator?
    GivenTreatmentDescription* StillIllIndicator? DiedIndicator? StillOnBoardIndicator? EvacuatedIndicator? BuriedAtSeaIndicator? Note* |
    Person?
PortCall: ID? PlannedOperationsDescription* PlannedWorksDescription* PlannedInspectionsDescription* ExpectedAnchorageIndicator?
    PositionInPortID? CargoAndBallastTankConditionDescription* | ShipRequirement* PrimaryPortCallPurpose? AdditionalPortCallPurpose*
    RequestedArrivalEvent?
PortCallPurpose: PurposeTypeCode? PurposeType* Description*
PortCallRecord: ID? SecurityLevelCode? | SecurityMeasure* PortFacilityLocation? Period?
PropertyIdentification: ID IssuerScopeID? | IssuerParty?
SanitaryMeasure: SanitaryMeasureTypeCode ApplicationDate?
SecurityMeasure: ID? Description+
ShipRequirement: ID? Description+
ShipStoreArticle: ID Name? Quantity? OfficialUse* | Stowage?
ShipToShipActivityRecord: ID? Description+ | AppliedSecurityMeasure* Period? Location?
SocialMediaProfile: ID? Name? SocialMediaTypeCode? URI
Storage: ID Name? GateID? AirFlowPercent? HumidityPercent? AnimalFoodApprovedIndicator? HumanFoodApprovedIndicator?
    DangerousGoodsApprovedIndicator? RefrigeratedIndicator? PowerIndicator? | MinimumTemperature? MaximumTemperature? Certificate*
VerifiedGrossMass: ID? WeighingDate? WeighingTime? WeighingMethodCode WeighingDeviceID? WeighingDeviceType? GrossMassMeasure |
    WeighingParty? ShipperParty? ResponsibleParty? DocumentReference+
VesselDynamics: NavigationStatusCode? AtAnchorageIndicator? CourseOverGroundDirection? SpeedOverGroundMeasure? RateOfTurnMeasure?
WHOAffectedAreaVisit: VisitDate | WHOAffectedAreaPortLocation
WebSite: ID? Name? Description* WebSiteTypeCode? URI | WebSiteAccess*
WebSiteAccess: URI? Password Login
`;

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
