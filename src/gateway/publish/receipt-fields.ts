// The fields of receipts and of their findings, in all forms but JSON, which has each as it is. A field that has no row here does not compile.
import type { GroupedFinding, Receipt, RepairedValue } from '#domain/receipt.ts';

/** `key=value` of text; left out where the value is undefined. */
type Line = readonly [key: string, value: unknown];

/** A column of CSV, and what stands in it. */
export interface Column<Of> {
  readonly name: string;
  readonly cell: (of: Of) => unknown;
  /** Behind all that were there before it, for programs that count columns. */
  readonly later?: true;
}

interface Field<Of, Name> {
  readonly name: Name;
  readonly text: (of: Of) => readonly Line[];
  /** None where it has rows of its own. */
  readonly csv: readonly Column<Of>[];
  /** The element of the response in which it stands; null where there is none for it, as docs/erp.md tells. */
  readonly ubl: string | null;
}

type Fields<Of> = { readonly [Name in keyof Required<Of>]: Field<Of, Name> };

const ofReceipt = valuesOf<Receipt>('');
const ofFinding = valuesOf<GroupedFinding>('finding.');

// biome-ignore format: one row, one field
export const FINDING_FIELDS = {
  rule:     ofFinding('rule', 'Description'),
  severity: ofFinding('severity', 'StatusReasonCode'),
  message:  ofFinding('message', 'Description'),
  path:     ofFinding('path', 'LineID'),
  pointer:  ofFinding('pointer', 'LineID'),
  line:     ofFinding('line', null),
  column:   ofFinding('column', null),
  value:    ofFinding('value', null),
  places: {
    name: 'places',
    text: ({ places = [] }) => members('place', places, Object.entries),
    csv: [
      { name: 'finding.places', cell: ({ places }) => places?.map(({ path, pointer }) => path ?? pointer).join(' ') },
      { name: 'finding.places.line', cell: ({ places }) => places?.map(({ line }) => line).join(' '), later: true },
      { name: 'finding.places.column', cell: ({ places }) => places?.map(({ column }) => column).join(' '), later: true },
    ],
    ubl: 'LineResponse',
  },
  rules: {
    name: 'rules',
    text: ({ rules }) => [['rules', rules?.join(' ')]],
    csv: [{ name: 'finding.rules', cell: ({ rules }) => rules?.join(' '), later: true }],
    ubl: 'Description',
  },
  follows:  { name: 'follows', text: ({ follows = [] }) => members('follow', follows, linesOf), csv: [], ubl: 'LineResponse' },
} as const satisfies Fields<GroupedFinding>;

// biome-ignore format: one row, one field
export const RECEIPT_FIELDS = {
  receipt:       ofReceipt('receipt', null),
  stage:         ofReceipt('stage', 'ResponseCode'),
  action:        ofReceipt('action', null),
  code:          ofReceipt('code', null),
  file:          ofReceipt('file', 'DocumentReference'),
  sha256:        ofReceipt('sha256', 'ID'),
  receivedAt:    ofReceipt('receivedAt', null),
  at:            ofReceipt('at', 'IssueDate'),
  accountRegNo:  ofReceipt('accountRegNo', null),
  family:        ofReceipt('family', null),
  documentId:    ofReceipt('documentId', 'DocumentReference'),
  sender:        ofReceipt('sender', 'ReceiverParty'),
  receiver:      ofReceipt('receiver', 'SenderParty'),
  integrationId: ofReceipt('integrationId', null),
  message:       ofReceipt('message', 'Description'),
  findings:      { name: 'findings', text: ({ findings }) => members('finding', findings, linesOf), csv: [], ubl: 'LineResponse' },
  error:         partsOf('error', ({ error }) => error, ['status', 'type', 'data']),
  answer:        partsOf('answer', ({ answer }) => answer, ['kind', 'code', 'text', 'at']),
  suggested: {
    name: 'suggested',
    text: ({ suggested }) => [['suggested.file', suggested?.file], ...members('suggested.change', suggested?.changes ?? [], Object.entries)],
    csv: [
      { name: 'suggested.file', cell: ({ suggested }) => suggested?.file },
      { name: 'suggested.changes', cell: ({ suggested }) => suggested?.changes.map(changeText).join('; ') },
    ],
    ubl: 'LineResponse',
  },
} as const satisfies Fields<Receipt>;

/** What has a place in UBL: the writer gets no more. */
type Placed<Of, Table> = Pick<
  Of,
  { [Name in keyof Of & keyof Table]-?: Table[Name] extends { ubl: null } ? never : Name }[keyof Of & keyof Table]
>;
export type PlacedReceipt = Placed<Receipt, typeof RECEIPT_FIELDS>;
export type PlacedFinding = Placed<GroupedFinding, typeof FINDING_FIELDS>;

/** Each finding, and what follows from it behind it. */
export function withFollows(findings: readonly GroupedFinding[]): readonly GroupedFinding[] {
  return findings.flatMap((finding) => [finding, ...withFollows(finding.follows ?? [])]);
}

/** In words. */
export function changeText({ path, from, to }: RepairedValue): string {
  return `${path} is '${to}'${from === null ? '' : `, and was '${from}'`}`;
}

function linesOf(finding: GroupedFinding): readonly Line[] {
  return Object.values(FINDING_FIELDS).flatMap(({ text }) => text(finding));
}

/** `finding.1.rule`: the lines of each member of a list, by its number. */
function members<Member>(name: string, list: readonly Member[], linesOfOne: (member: Member) => readonly Line[]): Line[] {
  return list.flatMap((one, index) => linesOfOne(one).map(([key, value]): Line => [`${name}.${index + 1}.${key}`, value]));
}

/** Rows of fields with one value. `within`: how their columns begin. */
function valuesOf<Of>(within: string) {
  return <const Name extends string & keyof Of, const Ubl extends string | null>(name: Name, ubl: Ubl) => ({
    name,
    text: (of: Of): readonly Line[] => [[name, of[name]]],
    csv: [{ name: `${within}${name}`, cell: (of: Of): unknown => of[name] }],
    ubl,
  });
}

/** The row of a field that has parts, or is null: a line and a column for each part. */
function partsOf<const Name extends string, Parts extends object>(
  name: Name,
  read: (receipt: Receipt) => Parts | null,
  parts: readonly (string & keyof Parts)[],
) {
  const all = parts.map((part) => ({ name: `${name}.${part}`, cell: (receipt: Receipt): unknown => read(receipt)?.[part] }));
  const text = (receipt: Receipt): readonly Line[] => all.map((part) => [part.name, part.cell(receipt)]);
  return { name, text, csv: all, ubl: 'LineResponse' };
}
