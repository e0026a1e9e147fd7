// Message level response (T71): what a receiver's access point or validator says to a document.
import { DOCUMENT_TYPES } from '#rules/codes/document-types.ts';
import { ACCEPTANCES, REFUSAL_REASONS } from '#rules/orders/codes/lists.ts';
import { code, constant, endpoint, group } from '#rules/orders/outline/parts.ts';
import { customized } from '#rules/orders/rules/header.ts';
import { ruleSetOf } from './transaction.ts';

const OUTLINE = group('ApplicationResponse', [
  'cbc:CustomizationID!',
  constant('cbc:ProfileID!', 'urn:fdc:peppol.eu:poacc:bis:mlr:3'),
  'cbc:ID! cbc:IssueDate! cbc:IssueTime',
  group('cac:SenderParty!', [endpoint('cbc:EndpointID!')]),
  group('cac:ReceiverParty!', [endpoint('cbc:EndpointID!')]),
  group('cac:DocumentResponse!', [
    group('cac:Response!', [code('cbc:ResponseCode!', ACCEPTANCES), 'cbc:Description']),
    group('cac:DocumentReference!', ['cbc:ID!', code('cbc:DocumentTypeCode', DOCUMENT_TYPES), 'cbc:VersionID']),
    group('cac:LineResponse', [
      group('cac:LineReference!', ['cbc:LineID!']),
      group('cac:Response!', [
        code('cbc:ResponseCode', ACCEPTANCES),
        'cbc:Description!',
        group('cac:Status!', [code('cbc:StatusReasonCode!', REFUSAL_REASONS)]),
      ]),
    ]),
  ]),
]);

const RULES = [customized('PEPPOL-T71-R001', 'urn:fdc:peppol.eu:poacc:trns:mlr:3')];

export const MLR = ruleSetOf({ name: 'mlr', number: 'T71', outline: OUTLINE, rules: RULES });
