// What differs between billing and self-billing: the identifiers of specification and process, and the types of documents.
import type { CodeList } from '#rules/engine/codes.ts';
import { coded, quoted } from '#rules/engine/kinds.ts';
import { type Rule, rule } from '#rules/engine/rule.ts';
import { trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { CREDIT_NOTE_TYPES, INVOICE_TYPES, SELF_BILLED_CREDIT_NOTE_TYPES, SELF_BILLED_INVOICE_TYPES } from './codes.ts';

interface Edition {
  readonly customizationId: string;
  /** The processes that may be stated as ProfileID, and of these the ones in which the type of the document is not free. */
  readonly processes: readonly string[];
  readonly typedProcesses: readonly string[];
  readonly invoiceTypes: CodeList;
  readonly creditNoteTypes: CodeList;
}

const POACC = 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc';
const WITH_RESPONSE = 'urn:peppol:bis:billing_with_response';
const FRANCE = ['urn:peppol:france:billing:regulated', 'urn:peppol:france:billing:non-regulated'];
const BILLED = ['urn:fdc:peppol.eu:2017:poacc:billing:01:1.0', ...FRANCE];
const SELF_BILLED = ['urn:fdc:peppol.eu:2017:poacc:selfbilling:01:1.0', ...FRANCE];

export const BILLING_EDITION = rulesOf({
  customizationId: `${POACC}:billing:3.0`,
  processes: [...BILLED, WITH_RESPONSE],
  typedProcesses: [...BILLED, WITH_RESPONSE],
  invoiceTypes: INVOICE_TYPES,
  creditNoteTypes: CREDIT_NOTE_TYPES,
});

export const SELF_BILLING_EDITION = rulesOf({
  customizationId: `${POACC}:selfbilling:3.0`,
  processes: [...SELF_BILLED, WITH_RESPONSE],
  typedProcesses: SELF_BILLED,
  invoiceTypes: SELF_BILLED_INVOICE_TYPES,
  creditNoteTypes: SELF_BILLED_CREDIT_NOTE_TYPES,
});

interface EditionRules {
  readonly specification: Rule;
  readonly process: Rule;
  readonly invoiceType: Rule;
  readonly creditNoteType: Rule;
}

function rulesOf({ customizationId, processes, typedProcesses, invoiceTypes, creditNoteTypes }: Edition): EditionRules {
  const processOf = (root: XmlElement): string => trimmed(root, 'cbc:ProfileID');
  const typed = (id: string, list: CodeList): Rule => {
    const listed = coded(id, list);
    return { ...listed, holds: (node, root) => !typedProcesses.includes(processOf(root)) || listed.holds(node, root) };
  };
  return {
    specification: rule(
      'PEPPOL-EN16931-R004',
      (node) => isSpecification(trimmed(node, 'cbc:CustomizationID'), customizationId),
      `The specification is not that of this document: write ${customizationId} into cbc:CustomizationID.`,
      'cbc:CustomizationID',
    ),
    process: rule(
      'PEPPOL-EN16931-R007',
      (node) => processes.includes(processOf(node)),
      (node) => `${quoted(processOf(node))} is no process of Peppol: write ${processes[0]} into cbc:ProfileID.`,
      'cbc:ProfileID',
    ),
    invoiceType: typed('PEPPOL-EN16931-P0100', invoiceTypes),
    creditNoteType: typed('PEPPOL-EN16931-P0101', creditNoteTypes),
  };
}

/** More may follow the identifier, but not the version of a syntax. */
function isSpecification(stated: string, customizationId: string): boolean {
  return stated.startsWith(customizationId) && !stated.includes('::');
}
