// All fields of receipts and findings in all forms: each stands in it, or is named in docs/erp.md among those for which UBL has no place.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { GroupedFinding, Receipt } from '#domain/receipt.ts';
import { FINDING_FIELDS, RECEIPT_FIELDS } from '#gateway/publish/receipt-fields.ts';
import { renderReceipt } from '#gateway/publish/write-receipt.ts';

/** Findings of XML stand at a path, those of JSON at a pointer. */
const byPointer = <Of extends { readonly path: string }>({ path: _, ...others }: Of): Omit<Of, 'path'> => others;

const PLACE = { path: '/Invoice/v20', pointer: '/Invoice/v21', line: 122, column: 123 } as const;
const FOLLOW: Required<Omit<GroupedFinding, 'follows'>> = {
  rule: 'v30',
  severity: 'warning',
  message: 'v31',
  path: '/Invoice/v32',
  pointer: '/Invoice/v33',
  line: 134,
  column: 135,
  value: 'v36',
  places: [{ ...PLACE, path: '/Invoice/v37' }],
  rules: ['v38', 'v39'],
};
const FINDING: Required<GroupedFinding> = {
  rule: 'v10',
  severity: 'fatal',
  message: 'v11',
  path: '/Invoice/v12',
  pointer: '/Invoice/v13',
  line: 114,
  column: 115,
  value: 'v16',
  places: [PLACE, byPointer(PLACE)],
  rules: ['v18', 'v19'],
  follows: [FOLLOW, byPointer(FOLLOW)],
};

/** Every value stands in it once, but for words of closed lists. */
const FULL: Required<Receipt> = {
  receipt: 1,
  stage: 'refused',
  action: 'fix',
  code: 'sender-not-yours',
  file: 'v40',
  sha256: 'v41',
  receivedAt: '2026-11-21T10:00:00.000Z',
  at: '2026-11-22T11:00:02.000Z',
  accountRegNo: 'v42',
  family: 'v43',
  documentId: 'v44',
  sender: '0088:v45',
  receiver: '0088:v46',
  integrationId: 'v47',
  message: 'v48',
  findings: [FINDING, byPointer(FINDING)],
  error: { status: 149, type: 'v50', data: 'v51' },
  answer: { kind: 'v52', code: 'v53', text: 'v54', at: '2026-11-23T12:00:00.000Z' },
  suggested: { file: 'v55', changes: [{ path: '/Invoice/v56', from: 'v57', to: 'v58' }] },
};

/** Values of the receipt by where they stand: `findings.places.line`. */
function leaves(value: unknown, name = ''): (readonly [name: string, value: unknown])[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => leaves(one, name));
  if (typeof value !== 'object' || value === null) return [[name, value]];
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) => leaves(one, name === '' ? key : `${name}.${key}`));
}

/** How UBL spells what is a code of another list there, or in parts. */
const SPELLED: Readonly<Record<string, string>> = {
  stage: '<cbc:ResponseCode>RE<',
  at: '<cbc:IssueDate>2026-11-22</cbc:IssueDate><cbc:IssueTime>11:00:02Z<',
  sender: '<cac:ReceiverParty><cbc:EndpointID schemeID="0088">v45<',
  receiver: '<cac:SenderParty><cbc:EndpointID schemeID="0088">v46<',
  'findings.severity': '<cbc:StatusReasonCode>BV<',
  'findings.follows.severity': '<cbc:StatusReasonCode>BW<',
};

/** The name of each field for which UBL has no place, as docs/erp.md has it. */
const UNPLACED = [
  ...Object.values(RECEIPT_FIELDS).flatMap(({ name, ubl }) => (ubl === null ? [name] : [])),
  ...Object.values(FINDING_FIELDS).flatMap(({ name, ubl }) => (ubl === null ? [`finding.${name}`] : [])),
];

/** `findings.follows.line` is a `finding.line`, and so is that of a place. */
const isUnplaced = (name: string): boolean => UNPLACED.includes(name.replace(/^findings\.(?:\w+\.)*/, 'finding.'));

const without = (form: 'text' | 'csv' | 'ubl'): string[] => {
  // A document of no number is told by its file.
  const text = [FULL, { ...FULL, documentId: null }].map((receipt) => renderReceipt(receipt, form)).join('');
  const missing = leaves(FULL).filter(([name, value]) => !text.includes(form === 'ubl' ? (SPELLED[name] ?? `${value}`) : `${value}`));
  return [...new Set(missing.map(([name]) => name))];
};

it.each(['text', 'csv'] as const)('each field stands in %s', (form) => {
  expect(without(form)).toEqual([]);
});

it('each field stands in UBL, or has no place there', () => {
  const missing = without('ubl');
  expect(missing.filter((name) => !isUnplaced(name))).toEqual([]);
  const names = [...new Set(leaves(FULL).map(([name]) => name))];
  // '1', the version of receipts, is part of other values.
  expect(names.filter((name) => isUnplaced(name) && !missing.includes(name))).toEqual(['receipt']);
});

it('docs/erp.md names those that have no place in UBL', () => {
  const [, list = ''] = /It has no place for (.+?): /.exec(readFileSync('docs/erp.md', 'utf8')) ?? [];
  expect([...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name)).toEqual(UNPLACED);
});

it('columns and keys stay where they are: new ones come behind', () => {
  const [names] = renderReceipt(FULL, 'csv').split('\r\n');
  const receipt =
    'receipt stage action code file sha256 receivedAt at accountRegNo family documentId sender receiver integrationId message';
  const finding = 'rule severity message path pointer line column value places';
  const parts = 'error.status error.type error.data answer.kind answer.code answer.text answer.at suggested.file suggested.changes';
  const columns = [...receipt.split(' '), ...finding.split(' ').map((name) => `finding.${name}`), ...parts.split(' ')];
  expect(names?.split(',')).toEqual([...columns, 'finding.places.line', 'finding.places.column', 'finding.rules']);
  const keys = renderReceipt(FULL, 'text')
    .split('\n')
    .map((line) => line.replace(/=.*/, ''));
  expect(keys.filter((key) => !/^finding|^$/.test(key))).toEqual([
    ...receipt.split(' '),
    ...parts.replace(' suggested.changes', '').split(' '),
    ...['path', 'from', 'to'].map((key) => `suggested.change.1.${key}`),
  ]);
  expect(keys.filter((key) => key.startsWith('finding.1.'))).toEqual(
    expect.arrayContaining(['finding.1.place.2.pointer', 'finding.1.rules', 'finding.1.follow.1.rule', 'finding.1.follow.1.place.1.line']),
  );
});
