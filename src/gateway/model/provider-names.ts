// How files are named in layouts of other providers: receipts, originals and received documents; and where they are seen.
import { FAMILY_NAMES, type FamilyName } from '#domain/family.ts';
import type { Stage } from '#domain/receipt.ts';
import type { WrittenForm } from '#domain/receipt-forms.ts';
import { duplicateName, nameOfDuplicate, type OutboxDocument } from './file-names.ts';
import type { HomeFolder, SeenFolder } from './rule-words.ts';

/** What the name of a receipt may be made of. */
interface ReceiptFacts {
  readonly accountRegNo: string;
  readonly item: string;
  readonly stage: Stage;
  /** The name under which the file was dropped, as far as it is safe. */
  readonly dropped: string;
  /** The name of the original in accepted/ or refused/. */
  readonly original: string;
}

/** Always the same for the same text. */
type MakeUuid = (text: string) => string;

interface ReceiptNaming {
  readonly form: WrittenForm;
  readonly name: (facts: ReceiptFacts, uuidOf: MakeUuid) => string;
}

export type ReceivedNaming = (document: OutboxDocument & { readonly accountRegNo: string }, uuidOf: MakeUuid) => string;

/** Undefined where the name is that of no such file. */
type Renaming = (name: string) => string | undefined;

/** Files of one folder that are shown among those of another, and are told from them by their names. */
interface Beside {
  readonly folder: 'receipts' | 'accepted';
  readonly among: SeenFolder;
  /** As a file of this name on disk is shown there. */
  readonly shown: Renaming;
  /** The name on disk of what is shown so; the two undo each other. */
  readonly onDisk: Renaming;
}

/** The kinds of documents for which a layout has a folder each, by the names of these folders. */
type Kinds = Readonly<Record<string, FamilyName>>;

/** How a layout names files; what it does not say has our names, and lies where ours lie. */
export interface Naming {
  readonly receipts: Readonly<Partial<Record<Stage, ReceiptNaming>>>;
  readonly received?: ReceivedNaming;
  readonly beside: readonly Beside[];
  /** The same in the folder of duplicates, where there is one; the first that a name may be of. */
  readonly duplicates: readonly Beside[];
  /** The original of a duplicate is named so that it is seen there. */
  readonly marksDuplicates: boolean;
  /** Names of files that say only that another one is complete: they are acknowledged, and nothing more is done with them. */
  readonly markers?: RegExp;
  /** Below the inbox, where each is a door to it, and below the outbox. */
  readonly kinds: Kinds;
}

const ORIGINALS_OF_DUPLICATES: Beside = { folder: 'accepted', among: 'duplicates', shown: nameOfDuplicate, onDisk: duplicateName };

export const OUR_NAMING: Naming = { receipts: {}, beside: [], duplicates: [ORIGINALS_OF_DUPLICATES], marksDuplicates: false, kinds: {} };

/** The same where duplicates have a folder of their own. */
export function withDuplicatesApart(naming: Naming): Naming {
  return { ...naming, beside: [...naming.duplicates, ...naming.beside], marksDuplicates: true };
}

const RCPT: ReceiptNaming = {
  form: 'ubl',
  name: ({ accountRegNo, item, stage }, uuidOf) => `RCPT-${plain(accountRegNo)}-${uuidOf(`${item} ${stage}`)}.xml`,
};

/** One receipt says what became of a file; another follows only where the network fails what the service took. */
export const RCPT_DLVY: Naming = {
  ...OUR_NAMING,
  receipts: { accepted: RCPT, duplicate: RCPT, refused: RCPT, cancelled: RCPT, failed: RCPT },
  received: ({ accountRegNo, integrationId, version }, uuidOf) =>
    `DLVY-${plain(accountRegNo)}-${version === 1 && UUID.test(integrationId) ? integrationId : uuidOf(`${integrationId} ${version}`)}.xml`,
  beside: [{ among: 'outbox', ...named(/^RCPT-/) }],
};

/** Results `NAME.json` of originals `NAME`, where these lie. On disk their names say in which of the two folders that is. */
export const JSON_BESIDE_ORIGINALS: Naming = {
  ...OUR_NAMING,
  receipts: {
    accepted: resultOf('original', '.accepted.json'),
    duplicate: resultOf('original', '.accepted.json'),
    refused: resultOf('original', '.refused.json'),
    cancelled: resultOf('original', '.refused.json'),
  },
  // Names of originals end with the item where what was dropped ended with .json: none of them is shown as a result.
  beside: [
    { among: 'accepted', ...ending('.xml.accepted.json', '.xml.json') },
    { among: 'refused', ...ending('.xml.refused.json', '.xml.json') },
  ],
  duplicates: [{ among: 'duplicates', ...ending('.duplicate.xml.accepted.json', '.xml.json') }, ORIGINALS_OF_DUPLICATES],
};

/** Results beside the drop; the second one where the network fails what the service took. */
export const RESULT_INVALID: Naming = {
  ...OUR_NAMING,
  receipts: {
    accepted: resultOf('dropped', '.result'),
    duplicate: resultOf('dropped', '.result'),
    refused: resultOf('dropped', '.invalid'),
    cancelled: resultOf('dropped', '.invalid'),
    failed: resultOf('dropped', '.invalid'),
  },
  beside: [{ among: 'inbox', ...named(/\.(?:result|invalid)$/) }],
};

/** Only what did not go its way lies beside the drop. */
export const ERROR_DUPLICATE: Naming = {
  ...OUR_NAMING,
  receipts: {
    duplicate: resultOf('dropped', '_DUPLICATE'),
    refused: resultOf('dropped', '_ERROR'),
    cancelled: resultOf('dropped', '_ERROR'),
    failed: resultOf('dropped', '_ERROR'),
  },
  beside: [{ among: 'inbox', ...named(/_(?:ERROR|DUPLICATE)$/) }],
};

/** Results have the name of the document without its ending. */
export const MARKED: Naming = {
  ...OUR_NAMING,
  receipts: {
    accepted: resultOf('base', '.accepted'),
    duplicate: resultOf('base', '.accepted'),
    refused: resultOf('base', '.rejected'),
    cancelled: resultOf('base', '.rejected'),
    failed: resultOf('base', '.rejected'),
  },
  beside: [{ among: 'inbox', ...named(/\.(?:accepted|rejected)$/) }],
  markers: /\.mmd$/i,
};

/** The first two are those of Coupa; it has none for the others. */
export const FOLDERS_OF_KINDS: Naming = {
  ...OUR_NAMING,
  kinds: {
    Invoices: 'Invoice',
    PurchaseOrders: 'Order',
    CreditNotes: 'CreditNote',
    OrderResponses: 'OrderResponse',
    OrderChanges: 'OrderChange',
    OrderCancellations: 'OrderCancellation',
    Catalogues: 'Catalogue',
    DespatchAdvices: 'DespatchAdvice',
  },
};

function resultOf(file: 'dropped' | 'base' | 'original', end: string): ReceiptNaming {
  return { form: 'json', name: ({ dropped, original }) => `${{ dropped, original, base: baseOf(dropped) }[file]}${end}` };
}

function baseOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** Receipts that have such a name on disk, and are shown by it. */
function named(pattern: RegExp): Omit<Beside, 'among'> {
  const same: Renaming = (name) => (pattern.test(name) ? name : undefined);
  return { folder: 'receipts', shown: same, onDisk: same };
}

/** Receipts whose names end so on disk, and otherwise where they are shown. */
function ending(onDisk: string, shown: string): Omit<Beside, 'among'> {
  const change =
    (from: string, to: string): Renaming =>
    (name) =>
      name.endsWith(from) ? `${name.slice(0, -from.length)}${to}` : undefined;
  return { folder: 'receipts', shown: change(onDisk, shown), onDisk: change(shown, onDisk) };
}

/** Where a file of a home is seen. */
interface Sight {
  readonly folder: SeenFolder;
  /** The folder of its kind in it, where it lies there. */
  readonly kind: string | undefined;
  readonly name: string;
}

export function sightOf({ beside, kinds }: Naming, folder: HomeFolder, name: string): Sight {
  for (const { folder: from, among, shown } of beside) {
    const other = from === folder ? shown(name) : undefined;
    if (other !== undefined) return { folder: among, kind: undefined, name: other };
  }
  const family = folder === 'outbox' ? FAMILY.exec(name)?.[1] : undefined;
  return { folder, kind: Object.keys(kinds).find((kind) => kinds[kind] === family), name };
}

/** As `outboxName` has it: behind the date, and behind the account before that where there is one. */
const FAMILY = new RegExp(`^(?:[^_]*_)?\\d{4}-\\d\\d-\\d\\d_(${FAMILY_NAMES.join('|')})_`);

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function plain(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9.]+/g, '-');
}
