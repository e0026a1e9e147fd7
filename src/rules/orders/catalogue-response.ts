// Catalogue response (T58): what a buyer says to a catalogue.
import { ACCEPTANCES } from '#rules/orders/codes/lists.ts';
import { IDENTIFICATION, LEGAL_NAME } from '#rules/orders/outline/groups.ts';
import { code, constant, endpoint, group } from '#rules/orders/outline/parts.ts';
import { customized } from '#rules/orders/rules/header.ts';
import { ruleSetOf } from './transaction.ts';

const PARTY = [endpoint('cbc:EndpointID!'), IDENTIFICATION, LEGAL_NAME];

const OUTLINE = group('ApplicationResponse', [
  'cbc:CustomizationID!',
  constant('cbc:ProfileID!', 'urn:fdc:peppol.eu:poacc:bis:catalogue_only:3'),
  'cbc:ID! cbc:IssueDate! cbc:IssueTime cbc:Note',
  group('cac:SenderParty!', PARTY),
  group('cac:ReceiverParty!', PARTY),
  group('cac:DocumentResponse', [
    group('cac:Response!', [code('cbc:ResponseCode!', ACCEPTANCES)]),
    group('cac:DocumentReference!', ['cbc:ID! cbc:VersionID']),
  ]),
]);

const RULES = [customized('PEPPOL-T58-R001', 'urn:fdc:peppol.eu:poacc:trns:catalogue_response:3')];

export const CATALOGUE_RESPONSE = ruleSetOf({ name: 'catalogue-response', number: 'T58', outline: OUTLINE, rules: RULES });
