// Receipts as text: one value, and a writer for each form.
import { csvTable, plain } from '#domain/csv.ts';
import type { GroupedFinding, Receipt } from '#domain/receipt.ts';
import type { WrittenForm } from '#domain/receipt-forms.ts';
import { visibleLines } from '#domain/visible.ts';
import { type Column, FINDING_FIELDS, RECEIPT_FIELDS, withFollows } from './receipt-fields.ts';
import { responseOf } from './receipt-response.ts';

// biome-ignore format: one row, one form
const WRITERS: Readonly<Record<WrittenForm, (receipt: Receipt) => string>> = {
  json: (receipt) => `${visibleLines(JSON.stringify(receipt, null, 2))}\n`,
  text: textOf,
  csv:  csvOf,
  ubl:  responseOf,
};

/** The text of the receipt, ending with a line feed. */
export function renderReceipt(receipt: Receipt, form: WrittenForm): string {
  return WRITERS[form](receipt);
}

/** One `key=value` a line, nothing where nothing is; what breaks a line, or any other control character, becomes a space. */
function textOf(receipt: Receipt): string {
  const lines = Object.values(RECEIPT_FIELDS).flatMap(({ text }) => text(receipt));
  return lines.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${plain(value)}\n`])).join('');
}

/** A row: a receipt beside one of its findings, or without any. */
type Row = readonly [receipt: Receipt, finding: GroupedFinding | undefined];

const ofFindings = Object.values(FINDING_FIELDS)
  .flatMap(({ csv }): readonly Column<GroupedFinding>[] => csv)
  .map(({ cell, ...column }): Column<Row> => ({ ...column, cell: ([, finding]) => finding && cell(finding) }));

const ALL_COLUMNS: readonly Column<Row>[] = Object.values(RECEIPT_FIELDS).flatMap(({ name, csv }): readonly Column<Row>[] =>
  name === 'findings'
    ? ofFindings
    : csv.map(({ cell, ...column }: Column<Receipt>): Column<Row> => ({ ...column, cell: ([receipt]) => cell(receipt) })),
);
const COLUMNS = [...ALL_COLUMNS.filter(({ later }) => !later), ...ALL_COLUMNS.filter(({ later }) => later)];

/** RFC 4180: names in the first row, then a row for each finding with what follows from it, one where there is none. */
function csvOf(receipt: Receipt): string {
  const findings = withFollows(receipt.findings);
  const rows = findings.length > 0 ? findings : [undefined];
  return csvTable(
    COLUMNS.map(({ name }) => name),
    rows.map((finding) => COLUMNS.map(({ cell }) => cell([receipt, finding]))),
  );
}
