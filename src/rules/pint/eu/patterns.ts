// PINT EU: EN 16931 and Peppol billing, taken over with the differences of its edition.
import { codedAttribute as exactlyCoded } from '#rules/billing/coded.ts';
import { CREDIT_NOTE_TYPES } from '#rules/billing/codes.ts';
import { UNSPSC_RELEASES, unspsc } from '#rules/billing/national/denmark.ts';
import { BILLING_PATTERNS } from '#rules/billing/rule-sets.ts';
import { CURRENCIES_EN } from '#rules/codes/currencies.ts';
import { EAS_EN } from '#rules/codes/identifier-schemes.ts';
import { EN16931 } from '#rules/en16931/rule-set.ts';
import { type CodeList, codeList, union } from '#rules/engine/codes.ts';
import { coded, occurs } from '#rules/engine/kinds.ts';
import { context, derived, type Pattern, type Rule, type Test, warning } from '#rules/engine/rule.ts';
import { trimmed } from '#rules/engine/select.ts';
import { dueDate } from '#rules/pint/amounts.ts';
import { codedAttribute } from '#rules/pint/base/codes.ts';
import { customized, says } from '#rules/pint/conditions.ts';
import { reissued } from '#rules/pint/reissue.ts';

function without(list: CodeList, ...values: readonly string[]): CodeList {
  return { name: list.name, values: new Set([...list.values].filter((value) => !values.includes(value))) };
}

/** An older issue of ISO 4217. Amounts may be in CNH, documents not. */
const AMOUNT_CURRENCIES = union(CURRENCIES_EN.name, without(CURRENCIES_EN, 'MRU', 'UYW'), codeList('', 'CUC MRO'));
const DOCUMENT_CURRENCIES = without(AMOUNT_CURRENCIES, 'CNH');

export const EU_EN: readonly Pattern[] = derived(EN16931.patterns, {
  replace: [
    codedAttribute('BR-CL-03', AMOUNT_CURRENCIES, 'currencyID'),
    coded('BR-CL-04', DOCUMENT_CURRENCIES),
    coded('BR-CL-05', DOCUMENT_CURRENCIES),
    coded('BR-CL-25', EAS_EN, '@schemeID'),
  ],
  add: [
    [
      context('/Invoice | /CreditNote', [
        occurs('BR-66', 'cac:PaymentMeans/cac:CardAccount', { max: 1 }),
        occurs('BR-67', 'cac:PaymentMeans/cac:PaymentMandate', { max: 1 }),
      ]),
      context('/Invoice/cac:LegalMonetaryTotal/cbc:PayableAmount', [dueDate('BR-CO-25', '.')]),
    ],
  ],
});

const PROCESS = /urn:peppol:bis:billing:[0-9]{2}:1.0/;

/** The type of a credit note is free where the process has no number, or what counts for it, the seventh part, is there and not 01. */
function typeInProcess(): Rule {
  const listed = coded('PEPPOL-EN16931-P0101', CREDIT_NOTE_TYPES);
  const isFree = (profile: string): boolean => !PROCESS.test(profile) || (profile.split(':')[6] ?? '01') !== '01';
  return { ...listed, holds: (node, root) => isFree(trimmed(root, 'cbc:ProfileID')) || listed.holds(node, root) };
}

const BILLING = { name: 'peppol-billing', patterns: BILLING_PATTERNS };

/** A rule of billing, but only for documents that give the code without white space around it. */
function whereWritten(id: string, path: string, code: string): Rule {
  const taken = reissued(BILLING, id, id);
  return { ...taken, holds: (node, root) => !says(node, path, code) || taken.holds(node, root) };
}

/** The type of a document between German parties counts as it is written, white space and all. */
function germanTypes(): Rule {
  const taken = reissued(BILLING, 'DE-R-017', 'DE-R-017');
  const isTidy: Test = (node) => TYPES.some((path) => says(node, path, trimmed(node, path)));
  return {
    ...taken,
    holds: (node, root) => isTidy(node, root) && taken.holds(node, root),
    sentence: (node, root) => {
      if (taken.holds(node, root))
        return 'There is white space around the type of the document: take it out of cbc:InvoiceTypeCode or cbc:CreditNoteTypeCode.';
      return typeof taken.sentence === 'string' ? taken.sentence : taken.sentence(node, root);
    },
  };
}

const TYPES = ['cbc:InvoiceTypeCode', 'cbc:CreditNoteTypeCode'];

const LOCAL = String.raw`[a-zA-Z0-9!#$%&"*+/=?^_\x60{|}~-]+`;
const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const EMAIL = new RegExp(String.raw`^${LOCAL}(?:\.${LOCAL})*@(?:${LABEL}\.)+${LABEL}$`);

/** As billing asks for it, but with the characters that names and hosts may have. */
function germanEmail(): Rule {
  return { ...reissued(BILLING, 'DE-R-028', 'DE-R-028'), holds: (node) => EMAIL.test(trimmed(node, 'cbc:ElectronicMail')) };
}

/** What Peppol billing asks for, and this edition does not. */
const UNUSED = [
  'DE-R-T02',
  'DK-R-017',
  'PEPPOL-COMMON-R054',
  'PEPPOL-COMMON-R055',
  'PEPPOL-COMMON-R056-1',
  'PEPPOL-COMMON-R056-2',
  'PEPPOL-COMMON-R057',
  'PEPPOL-EN16931-P0100',
  'PEPPOL-EN16931-R004',
  'PEPPOL-EN16931-R007',
];

export const EU: readonly Pattern[] = derived(BILLING_PATTERNS, {
  drop: new Set(UNUSED),
  replace: [
    warning(unspsc(UNSPSC_RELEASES)),
    germanEmail(),
    germanTypes(),
    whereWritten('DE-R-019', 'cbc:PaymentMeansCode', '58'),
    whereWritten('DE-R-020', 'cbc:PaymentMeansCode', '59'),
    typeInProcess(),
    exactlyCoded('PEPPOL-EN16931-CL007', 'currencyID', CURRENCIES_EN),
    exactlyCoded('PEPPOL-EN16931-CL008', 'schemeID', without(EAS_EN, '0219', '0220', 'AN', 'AQ', 'AS', 'AU', 'EM')),
  ],
  // The identifier is spelled in two ways: as the list of Peppol has it, and as its specification does. Both are taken.
  add: [
    [
      context('/Invoice | /CreditNote', [
        customized('ALIGNED-IBRP-004-EU', 'urn:peppol:pint:billing-1@eu-1', 'urn:peppol:pint:billing-1@en16931-2017@eu-3'),
      ]),
    ],
  ],
});
