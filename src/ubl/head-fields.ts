// Where a family keeps what the head needs, and which root elements are no family of ours.

import { FAMILIES, FAMILY_NAMES, type Family, type FamilyName, familyOfRoot } from '#domain/family.ts';
import { unreadable } from '#domain/unreadable.ts';
import type { OpenElement } from './tree.ts';

export type Party = 'sender' | 'receiver';

export type Field = 'id' | 'customization' | 'profile' | 'issueDate' | 'typeCode' | Party;

/** Where the name of a party stands: it may have several. */
export type NameField = `name of ${Party}`;

interface FieldTable {
  /** By path below the root, `AccountingSupplierParty/Party/EndpointID`: all but the last step are aggregates (cac), the last is basic (cbc). */
  readonly fields: ReadonlyMap<string, Field | NameField>;
  /** The beginnings of those paths, `AccountingSupplierParty/`. */
  readonly onTheWay: ReadonlySet<string>;
}

const TABLES = new Map(FAMILIES.map((family) => [family.name, tableOf(family)]));

export function fieldsOf(family: Family): FieldTable {
  return TABLES.get(family.name) ?? tableOf(family);
}

/** The place of a field in words that a person can follow: `/Invoice/cac:AccountingSupplierParty/cac:Party/cbc:EndpointID`. */
export function placeOf(family: Family, field: Field): string {
  for (const [path, name] of fieldsOf(family).fields) {
    if (name !== field) continue;
    const steps = path.split('/');
    return [`/${family.name}`, ...steps.map((step, at) => (at === steps.length - 1 ? `cbc:${step}` : `cac:${step}`))].join('/');
  }
  return `/${family.name}`;
}

function tableOf(family: Family): FieldTable {
  const within = (party: readonly string[], path: string): string => [...party, path].join('/');
  const partyFields = (party: Party): [string, Field | NameField][] => [
    [within(family[party], 'EndpointID'), party],
    [within(family[party], 'PartyName/Name'), `name of ${party}`],
    [within(family[party], 'PartyLegalEntity/RegistrationName'), `name of ${party}`],
  ];
  const fields = new Map<string, Field | NameField>([
    ['ID', 'id'],
    ['CustomizationID', 'customization'],
    ['ProfileID', 'profile'],
    ['IssueDate', 'issueDate'],
    ...partyFields('sender'),
    ...partyFields('receiver'),
  ]);
  if (family.selfBilling) fields.set(`${family.name}TypeCode`, 'typeCode');
  const onTheWay = [...fields.keys()].flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1)));
  return { fields, onTheWay: new Set(onTheWay) };
}

const UBL_ROOT = /^urn:oasis:names:specification:ubl:schema:xsd:(\w+)-2$/;
const CARRIED = FAMILY_NAMES.join(', ');

/** Roots that people send by mistake, and what to send instead. */
export const FOREIGN: Readonly<Record<string, string>> = {
  CrossIndustryInvoice: 'a CII invoice (CrossIndustryInvoice). Send the same invoice as UBL 2.1, root element Invoice or CreditNote',
  StandardBusinessDocument: 'an SBDH envelope. Send the UBL document in it by itself',
  StandardBusinessDocumentHeader: 'an SBDH header without its document. Send the UBL document itself',
  Envelope: 'a SOAP envelope. Send the UBL document itself',
  html: 'a web page. Send a UBL 2.1 document',
};

/** The family that the root element names. Throws `unreadable` for any other root, with what to send instead. */
export function familyOfElement(root: OpenElement): Family {
  const family = familyOfRoot(root.name);
  if (family?.namespace === root.namespace) return family;
  throw unreadable('not-ubl', foreignSentence(root, family?.name));
}

function foreignSentence({ name, namespace }: OpenElement, family: FamilyName | undefined): string {
  if (family) {
    const given = namespace === '' ? 'no namespace' : `the namespace '${namespace.slice(0, 200)}'`;
    return `The root element ${family} has ${given}. Give it the namespace of UBL 2.1, urn:oasis:names:specification:ubl:schema:xsd:${family}-2.`;
  }
  if (Object.hasOwn(FOREIGN, name)) return `The file is ${FOREIGN[name]}.`;
  if (UBL_ROOT.exec(namespace)?.[1] === name) {
    return `The file is a UBL ${name}, which is not exchanged here. Send one of ${CARRIED}.`;
  }
  return `The root element is '${name.slice(0, 80)}', no document that is exchanged here. Send a UBL 2.1 document whose root is one of ${CARRIED}.`;
}
