// The receipt: the file that tells the dropper what became of its file, and what to do. One value, and a writer for each form.
import { csvTable, plain } from './csv.ts';
import type { Finding } from './document.ts';
import type { ReceiptCode } from './receipt-codes.ts';
import type { ReceiptForm } from './receipt-forms.ts';
import { visibleLines } from './visible.ts';

/** What became of a file, and, once the service has it, what the network did with it. */
export type Stage = 'accepted' | 'refused' | 'duplicate' | 'delayed' | 'held' | 'waiting' | 'cancelled' | 'turned-away' | NetworkStage;

export const NETWORK_STAGES = ['sent', 'delivered', 'rejected', 'failed'] as const;
export type NetworkStage = (typeof NETWORK_STAGES)[number];

/** What the dropper has to do: nothing; repair the document; send it again as it is; rename it; wait for another receipt. */
export type Action = 'none' | 'fix' | 'resend' | 'rename' | 'wait';

/** The same in words. */
export const ADVICE: Readonly<Record<Action, string>> = {
  none: 'Nothing: the document is delivered or under way.',
  fix: "Repair the document and put it again, under the same number if you like; 'findings' says what is wrong.",
  resend: 'Put the same file again.',
  rename: 'Rename the file to its real name, or put it again.',
  wait: 'Do nothing, and do not send it again.',
};

export interface Receipt {
  readonly receipt: 1;
  readonly stage: Stage;
  readonly action: Action;
  /** Why, in a word; null where all goes its way. */
  readonly code: ReceiptCode | null;
  /** The name under which the file was dropped. */
  readonly file: string;
  readonly sha256: string;
  /** RFC 3339, UTC. */
  readonly receivedAt: string;
  /** When it came to this stage: RFC 3339, UTC. */
  readonly at: string;
  readonly accountRegNo: string;
  readonly family: string | null;
  readonly documentId: string | null;
  readonly sender: string | null;
  readonly receiver: string | null;
  readonly integrationId: string | null;
  /** One sentence for a person. */
  readonly message: string;
  readonly findings: readonly GroupedFinding[];
  /** The answer of the service, when it was the service that said no. */
  readonly error: { readonly status: number; readonly type: string; readonly data: string } | null;
  /** What the receiver's side has answered, where that decided; what it says about places of the document is among the findings. */
  readonly answer: NetworkAnswer | null;
}

/** A finding with what else is wrong for the same cause. */
export interface GroupedFinding extends Finding {
  /** Other rules that have found the same. */
  readonly rules?: readonly string[];
  /** Other places of the same mistake. */
  readonly places?: readonly Pick<Finding, 'path' | 'pointer' | 'line' | 'column'>[];
  /** What is most likely right once this is repaired. */
  readonly follows?: readonly GroupedFinding[];
}

/** An answer from the network: of which kind (`mls`), its code, its words, and when it came (RFC 3339, UTC). */
export interface NetworkAnswer {
  readonly kind: string;
  readonly code: string;
  readonly text: string | null;
  readonly at: string;
}

interface Writer {
  readonly extension: string;
  readonly write: (receipt: Receipt) => string;
}

// biome-ignore format: one row, one form
const WRITERS: Readonly<Record<ReceiptForm, Writer>> = {
  json: { extension: 'json', write: (receipt) => `${visibleLines(JSON.stringify(receipt, null, 2))}\n` },
  text: { extension: 'txt',  write: (receipt) => `${textLines(receipt).join('\n')}\n` },
  csv:  { extension: 'csv',  write: csvOf },
};

/** `NAME.ITEM8.stage.json`, `.txt`, or `.csv`. */
export function receiptName(fileName: string, shortItem: string, stage: Stage, form: ReceiptForm): string {
  return `${fileName}.${shortItem}.${stage}.${WRITERS[form].extension}`;
}

/** The text of the receipt, ending with a line feed. */
export function renderReceipt(receipt: Receipt, form: ReceiptForm): string {
  return WRITERS[form].write(receipt);
}

/** Lists with a name for each of their members: `finding.1.place.2.path`. */
const MEMBERS: Readonly<Record<string, string>> = { findings: 'finding', places: 'place', follows: 'follow' };

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
