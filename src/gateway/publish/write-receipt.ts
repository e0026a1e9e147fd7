// Receipts as text: one value, and a writer for each form.
import { csvTable, plain } from '#domain/csv.ts';
import type { Finding } from '#domain/document.ts';
import type { GroupedFinding, Receipt } from '#domain/receipt.ts';
import type { WrittenForm } from '#domain/receipt-forms.ts';
import { visibleLines } from '#domain/visible.ts';
import { changeText, responseOf } from './receipt-response.ts';

// biome-ignore format: one row, one form
const WRITERS: Readonly<Record<WrittenForm, (receipt: Receipt) => string>> = {
  json: (receipt) => `${visibleLines(JSON.stringify(receipt, null, 2))}\n`,
  text: (receipt) => `${textLines(receipt).join('\n')}\n`,
  csv:  csvOf,
  ubl:  responseOf,
};

/** The text of the receipt, ending with a line feed. */
export function renderReceipt(receipt: Receipt, form: WrittenForm): string {
  return WRITERS[form](receipt);
}

/** Lists with a name for each of their members: `finding.1.place.2.path`. */
const MEMBERS: Readonly<Record<string, string>> = { findings: 'finding', places: 'place', follows: 'follow', changes: 'change' };

/** One `key=value` a line, nothing where nothing is; what breaks a line, or any other control character, becomes a space. */
function textLines(value: object, within = ''): string[] {
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) => {
    const member = MEMBERS[key];
    if (Array.isArray(each)) {
      if (member === undefined) return [line(within + key, each.join(' '))];
      return each.flatMap((one: object, index) => textLines(one, `${within}${member}.${index + 1}.`));
    }
    if (typeof each === 'object' && each !== null) return textLines(each, `${within}${key}.`);
    return within === '' && (key === 'error' || key === 'answer') ? [] : [line(within + key, each)];
  });
}

function line(key: string, value: unknown): string {
  return `${key}=${plain(value)}`;
}

/** A column: its name, and what stands in it in the row of a finding, or of a receipt without one. */
type Column = readonly [name: string, cell: (receipt: Receipt, finding: GroupedFinding | undefined) => unknown];

const ofReceipt = (name: keyof Omit<Receipt, 'findings' | 'error' | 'answer'>): Column => [name, (receipt) => receipt[name]];
const ofFinding = (name: keyof Finding): Column => [`finding.${name}`, (_, finding) => finding?.[name]];

const COLUMNS: readonly Column[] = [
  ...(['receipt', 'stage', 'action', 'code', 'file', 'sha256', 'receivedAt', 'at', 'accountRegNo'] as const).map(ofReceipt),
  ...(['family', 'documentId', 'sender', 'receiver', 'integrationId', 'message'] as const).map(ofReceipt),
  ...(['rule', 'severity', 'message', 'path', 'pointer', 'line', 'column', 'value'] as const).map(ofFinding),
  ['finding.places', (_, finding) => finding?.places?.map(({ path, pointer }) => path ?? pointer).join(' ')],
  ['error.status', ({ error }) => error?.status],
  ['error.type', ({ error }) => error?.type],
  ['error.data', ({ error }) => error?.data],
  ['answer.kind', ({ answer }) => answer?.kind],
  ['answer.code', ({ answer }) => answer?.code],
  ['answer.text', ({ answer }) => answer?.text],
  ['answer.at', ({ answer }) => answer?.at],
  ['suggested.file', ({ suggested }) => suggested?.file],
  ['suggested.changes', ({ suggested }) => suggested?.changes.map(changeText).join('; ')],
];

/** RFC 4180: names in the first row, then a row for each finding with what follows from it, one where there is none. */
function csvOf(receipt: Receipt): string {
  const findings = receipt.findings.flatMap((finding) => [finding, ...(finding.follows ?? [])]);
  const rows = findings.length > 0 ? findings : [undefined];
  return csvTable(
    COLUMNS.map(([name]) => name),
    rows.map((finding) => COLUMNS.map(([, cell]) => cell(receipt, finding))),
  );
}
