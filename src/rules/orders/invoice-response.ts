// Invoice response (T111): what a buyer says to an invoice.
import { DOCUMENT_TYPES } from '#rules/codes/document-types.ts';
import { coded, informational, required } from '#rules/engine/kinds.ts';
import { context, type Pattern, warning } from '#rules/engine/rule.ts';
import { texts, trimmed } from '#rules/engine/select.ts';
import { ACTIONS_ASKED, CLARIFICATION_LISTS, CLARIFICATIONS, INVOICE_STATUSES, STATUS_REASONS } from '#rules/orders/codes/lists.ts';
import { CONTACT, IDENTIFICATION, LEGAL_NAME, NAME } from '#rules/orders/outline/groups.ts';
import { attribute, code, endpoint, group, mandatory } from '#rules/orders/outline/parts.ts';
import { customized, ofProcess } from '#rules/orders/rules/header.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { ruleSetOf } from './transaction.ts';

const PARTY = [endpoint('cbc:EndpointID!'), IDENTIFICATION, mandatory(LEGAL_NAME)];

const CLARIFICATION = group('cac:Status', [
  { ...code('cbc:StatusReasonCode', CLARIFICATIONS), attributes: [attribute('listID!', CLARIFICATION_LISTS)] },
  'cbc:StatusReason',
  group('cac:Condition', ['cbc:AttributeID! cbc:Description']),
]);

const OUTLINE = group('ApplicationResponse', [
  'cbc:CustomizationID! cbc:ProfileID! cbc:ID! cbc:IssueDate! cbc:IssueTime cbc:Note',
  group('cac:SenderParty!', [...PARTY, CONTACT]),
  group('cac:ReceiverParty!', PARTY),
  group('cac:DocumentResponse!', [
    group('cac:Response!', [code('cbc:ResponseCode!', INVOICE_STATUSES), 'cbc:EffectiveDate', CLARIFICATION]),
    group('cac:DocumentReference!', ['cbc:ID! cbc:IssueDate', code('cbc:DocumentTypeCode!', DOCUMENT_TYPES)]),
    group('cac:IssuerParty', [IDENTIFICATION, mandatory(NAME)]),
    group('cac:RecipientParty', [IDENTIFICATION, mandatory(NAME)]),
  ]),
]);

const CODE = 'cbc:StatusReasonCode';
const REASON = 'cbc:StatusReason';

const ofList = (list: string) => (node: XmlElement) => texts(node, `${CODE}/@listID`).includes(list);
const saying = (code: string) => (node: XmlElement) => texts(node, CODE).includes(code);

const RULES = [
  context('cac:Response', (node) => ' CA UQ RE '.includes(` ${trimmed(node, 'cbc:ResponseCode')} `), [
    required(
      'PEPPOL-T111-R001',
      `cac:Status/${CODE}`,
      'The answer is no, or has conditions or questions (RE, CA, UQ), but does not say why: add cac:Status/cbc:StatusReasonCode.',
    ),
  ]),
  context('cac:Status', saying('OTH'), [
    warning(required('PEPPOL-T111-R002', REASON, 'The clarification is OTH (other), which says nothing by itself: add cbc:StatusReason.')),
  ]),
  customized('PEPPOL-T111-R003', 'urn:fdc:peppol.eu:poacc:trns:invoice_response:3'),
  context('cac:Status', saying('PPD'), [
    required('PEPPOL-T111-R004', REASON, 'The invoice is partially paid (PPD): say in cbc:StatusReason how much, and why.'),
    informational('PEPPOL-T111-R005'),
  ]),
  ofProcess('PEPPOL-T111-R008', 'urn:fdc:peppol.eu:poacc:bis:invoice_response:3', 'urn:peppol:bis:billing_with_response'),
];

const CLARIFICATION_CODES: Pattern = [
  context('cac:Status', ofList('OPStatusAction'), [coded('PEPPOL-T111-R006', ACTIONS_ASKED, CODE)]),
  context('cac:Status', ofList('OPStatusReason'), [coded('PEPPOL-T111-R007', STATUS_REASONS, CODE)]),
];

export const INVOICE_RESPONSE = ruleSetOf({
  name: 'invoice-response',
  number: 'T111',
  outline: OUTLINE,
  rules: RULES,
  more: [CLARIFICATION_CODES],
});
