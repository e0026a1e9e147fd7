// How files are named in layouts of other providers: receipts, originals and received documents.
import type { Stage } from '#domain/receipt.ts';
import type { WrittenForm } from '#domain/receipt-forms.ts';
import type { OutboxDocument } from './file-names.ts';
import type { HomeFolder } from './rule-words.ts';

/** What the name of a receipt may be made of. */
export interface ReceiptFacts {
  readonly accountRegNo: string;
  readonly item: string;
  readonly stage: Stage;
}

/** Always the same for the same text. */
export type MakeUuid = (text: string) => string;

export interface ReceiptNaming {
  readonly form: WrittenForm;
  readonly name: (facts: ReceiptFacts, uuidOf: MakeUuid) => string;
}

export type ReceivedNaming = (document: OutboxDocument & { readonly accountRegNo: string }, uuidOf: MakeUuid) => string;

/** Files of one folder that are shown among those of another, and are told from them by their names. */
export interface Beside {
  readonly folder: 'receipts';
  readonly among: 'outbox';
  readonly named: RegExp;
}

/** How a layout names files; what it does not say has our names, and lies where ours lie. */
export interface Naming {
  readonly receipts: Readonly<Partial<Record<Stage, ReceiptNaming>>>;
  readonly received?: ReceivedNaming;
  readonly beside: readonly Beside[];
}

export const OUR_NAMING: Naming = { receipts: {}, beside: [] };

const RCPT: ReceiptNaming = {
  form: 'ubl',
  name: ({ accountRegNo, item, stage }, uuidOf) => `RCPT-${plain(accountRegNo)}-${uuidOf(`${item} ${stage}`)}.xml`,
};

/** One receipt says what became of a file; another follows only where the network fails what the service took. */
export const RCPT_DLVY: Naming = {
  receipts: { accepted: RCPT, duplicate: RCPT, refused: RCPT, cancelled: RCPT, failed: RCPT },
  received: ({ accountRegNo, integrationId, version }, uuidOf) =>
    `DLVY-${plain(accountRegNo)}-${version === 1 && UUID.test(integrationId) ? integrationId : uuidOf(`${integrationId} ${version}`)}.xml`,
  beside: [{ folder: 'receipts', among: 'outbox', named: /^RCPT-/ }],
};

/** The folder in which a file is seen that lies in another. */
export function folderShowing({ beside }: Naming, folder: HomeFolder, name: string): HomeFolder {
  return beside.find((each) => each.folder === folder && each.named.test(name))?.among ?? folder;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function plain(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9.]+/g, '-');
}
