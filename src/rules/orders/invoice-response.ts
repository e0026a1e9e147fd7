// Invoice response (T111): what a buyer says to an invoice.
import { DOCUMENT_TYPES } from '#rules/codes/document-types.ts';
import { CLARIFICATION_LISTS, CLARIFICATIONS, INVOICE_STATUSES } from '#rules/orders/codes/lists.ts';
import { CONTACT, IDENTIFICATION, LEGAL_NAME, NAME } from '#rules/orders/outline/groups.ts';
import { attribute, code, endpoint, group, mandatory } from '#rules/orders/outline/parts.ts';
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

export const INVOICE_RESPONSE = ruleSetOf({ name: 'invoice-response', number: 'T111', outline: OUTLINE, rules: [] });
