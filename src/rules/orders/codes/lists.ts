// Code lists that only the ordering family uses.

import { DOCUMENT_TYPES } from '#rules/codes/document-types.ts';
import { ALLOWANCE_REASONS, CHARGE_REASONS } from '#rules/codes/reasons.ts';
import { codeList, union } from '#rules/engine/codes.ts';

export const ORDER_TYPES = codeList('order type (UNTDID 1001)', '105 220 221 226 227 402');
export const RESPONSES = codeList('order response code', 'AB AP RE CA');
export const LINE_STATUSES = codeList('status of a line (UNTDID 1229)', '1 3 5 7 42');
export const LINE_CHANGES = codeList('change of a line (UNTDID 1229)', '1 2 3 4 74');
export const BOOLEANS = codeList('indicator', 'true false');
export const REASONS = union('reason of an allowance (UNTDID 5189) or charge (UNTDID 7161)', ALLOWANCE_REASONS, CHARGE_REASONS);

export const SHIPPING_PRIORITIES = codeList('shipping priority (UNTDID 4219)', '1 2 3 4');
export const TRANSPORT_MODES = codeList('transport mode (UN/ECE Rec. 19)', '0 1 2 3 4 5 6 7 8 9');
export const HANDLING_UNIT_SCHEMES = codeList('scheme of a transport handling unit', 'SSCC');
export const PRODUCT_TRACES = codeList('scheme of a product trace', 'UDI');
export const PARCEL_DIMENSIONS = codeList('dimension (UNTDID 6313)', 'AAB AAW AAX AAL');
export const ITEM_DIMENSIONS = codeList('dimension (UNTDID 6313)', 'ABJ AAF AAX HT LN WD GW TC AAO');

const ITEM_DOCUMENTS = codeList('kind of an item document', 'PRODUCT_IMAGE TRADE_ITEM_DESCRIPTION');
export const ITEM_DOCUMENT_TYPES = union('kind of an item document (UNTDID 1001, or PRODUCT_IMAGE)', ITEM_DOCUMENTS, DOCUMENT_TYPES);

export const CATALOGUE_ACTIONS = codeList('action of a catalogue', 'Add Replace Update Delete');
export const LINE_ACTIONS = codeList('action of a catalogue line', 'Add Update Delete');
export const PACK_LEVELS = codeList('pack level (GS1)', 'CU DU TU HN');
export const PRICE_TYPES = codeList(
  'price type (UNTDID 5387)',
  `
  AAA AAB AAC AAD AAE AAF AAG AAH AAI AAJ AAK AAL AAM AAN AAO AAP AAQ AAR AAS AAT AAU AAV AAW AAX AAY AAZ ABA ABB ABC ABD ABE ABF ABG
  ABH ABI ABJ ABK ABL ABM ABN ABO ABP ABQ ABR ABS ABT ABU ABV ABW ABX ABY ABZ ACA ACB AI ALT AP BR CAT CDV CON CP CU CUP CUS DAP DIS DPR
  DR DSC CSC ES EUP FCR GRP INV LBL MAX MIN MNR MSR MXR NE NQT NTP NW OFR PAQ PBQ PPD PPR PRO PRP PW QTE RES RTP SHD SRP SW TB TRF TU TW
  WH
  `,
);
export const TRANSACTION_CONDITIONS = codeList('condition of a transaction', 'CT NON_RETURNABLE');
export const DANGEROUS_GOODS = codeList(
  'regulation of dangerous goods (UNTDID 8273)',
  'ADR ADS ADT ADU ADY ADZ ADV ADW ADX AEA AEB AGS ANR ARD CFR COM GVE GVS ICA IMD RGE RID UI ZZZ',
);

export const ACCEPTANCES = codeList('response code (UNTDID 4343)', 'AB AP RE');
export const INVOICE_STATUSES = codeList('status of an invoice (UNTDID 4343)', 'AB AP RE IP UQ CA PD');
export const CLARIFICATION_LISTS = codeList('list of clarifications', 'OPStatusAction OPStatusReason');
export const ACTIONS_ASKED = codeList('action that is asked for (OPStatusAction)', 'NOA PIN NIN CNF CNP CNA OTH');
export const STATUS_REASONS = codeList('reason of a status (OPStatusReason)', 'NON REF LEG REC QUA DEL PRI QTY ITM PAY UNR FIN PPD OTH');
export const CLARIFICATIONS = union('clarification (OPStatusReason or OPStatusAction)', STATUS_REASONS, ACTIONS_ASKED);
export const REFUSAL_REASONS = codeList('reason of a line response', 'BV BW SV');
