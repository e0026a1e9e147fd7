// Layouts: under which names a login sees the folders of its homes, and how files in them are named. On disk the folders are always inbox, outbox,
// receipts, accepted and refused.

import Type, { type Static } from 'typebox';
import { checkedName } from '#domain/account.ts';
import { AppError } from '#domain/error.ts';
import {
  ERROR_DUPLICATE,
  FOLDERS_OF_KINDS,
  JSON_BESIDE_ORIGINALS,
  MARKED,
  type Naming,
  OUR_NAMING,
  RCPT_DLVY,
  RESULT_INVALID,
  type ReceivedNaming,
  withDuplicatesApart,
} from './provider-names.ts';
import { type Answer, type HomeFolder, isAtTop, LAYOUT_NAMES, SEEN_FOLDERS, type SeenFolder } from './rule-words.ts';

/** The name of each folder, or the path to it; '' is the top of the home itself, where only the outbox may stand. Duplicates may lie in accepted. */
export type FolderNames = Readonly<Record<SeenFolder, string>>;

const STANDARD: Readonly<Record<HomeFolder, string>> = {
  inbox: 'inbox',
  outbox: 'outbox',
  receipts: 'receipts',
  accepted: 'accepted',
  refused: 'refused',
};

/** What a layout of this name says; `files`: how files are named. */
interface LayoutRow {
  readonly folders: Readonly<Partial<FolderNames>>;
  readonly files?: Naming;
}

// biome-ignore format: one row, one layout
const LAYOUTS: Readonly<Record<(typeof LAYOUT_NAMES)[number], LayoutRow>> = {
  'to-from-peppol':          { folders: { inbox: 'to-peppol', outbox: 'from-peppol' } },
  'to-from-peppol-rcpt':     { folders: { inbox: 'to-peppol', outbox: 'from-peppol' }, files: RCPT_DLVY },
  flat:                      { folders: { inbox: 'send', outbox: '' } },
  'out-in':                  { folders: { inbox: 'out', outbox: 'in' } },
  'out-in-sent-failed':      { folders: { inbox: 'OUT', outbox: 'IN', accepted: 'SENT', refused: 'FAILED' } },
  'incoming-outgoing-kinds': { folders: { inbox: 'Incoming', outbox: 'Outgoing', accepted: 'Archive/Incoming' }, files: FOLDERS_OF_KINDS },
  'success-duplicate-error': { folders: { accepted: 'success', duplicates: 'duplicate', refused: 'error' } },
  'success-error-json':      { folders: { accepted: 'success', refused: 'error' }, files: JSON_BESIDE_ORIGINALS },
  'result-invalid':          { folders: {}, files: RESULT_INVALID },
  'error-duplicate':         { folders: {}, files: ERROR_DUPLICATE },
  'msg-out-in':              { folders: { inbox: 'msg_out', outbox: 'msg_in' }, files: MARKED },
};

/** As it stands among the rules of a login: a layout with a name, or names one by one; those of the layout `like`, or of the standard, for the others. */
export const Layout = Type.Union([
  Type.Enum(LAYOUT_NAMES),
  Type.Partial(
    Type.Object({
      like: Type.Enum(LAYOUT_NAMES),
      inbox: Type.String(),
      outbox: Type.String(),
      receipts: Type.String(),
      accepted: Type.String(),
      refused: Type.String(),
      duplicates: Type.String(),
    }),
    { additionalProperties: false, minProperties: 1 },
  ),
]);
export type Layout = Readonly<Static<typeof Layout>>;

export function namesOf(layout: Layout | undefined): FolderNames {
  const { like, ...own } = spelledOut(layout);
  const names = { ...STANDARD, ...(like && LAYOUTS[like].folders), ...own };
  return { ...names, duplicates: names.duplicates ?? names.accepted };
}

/** How it names files. */
export function namingOf(layout: Layout | undefined): Naming {
  const { like } = spelledOut(layout);
  const naming = (like && LAYOUTS[like].files) ?? OUR_NAMING;
  return foldersIn(namesOf(layout)).includes('duplicates') ? withDuplicatesApart(naming) : naming;
}

/** Those that it sees, each in a place of its own. */
export function foldersIn({ accepted, duplicates }: FolderNames): readonly SeenFolder[] {
  return SEEN_FOLDERS.filter((folder) => folder !== 'duplicates' || duplicates !== accepted);
}

function spelledOut(layout: Layout | undefined): Exclude<Layout, string> {
  return typeof layout === 'string' ? { like: layout } : (layout ?? {});
}

/** How documents for a home are named: as the layout says that all who see the home have; undefined where they have different ones. */
export function receivedNaming(readers: readonly Viewer[]): ReceivedNaming | undefined {
  const [naming, ...others] = new Set(readers.map(({ rules }) => namingOf(rules.layout).received));
  return others.length === 0 ? naming : undefined;
}

/** One tree of folders that a login sees. */
export interface LoginHome {
  readonly home: string;
  /** Folder of the tree at the top; '' when the login has one home and sees its folders at the top. */
  readonly folder: string;
}

/** Who looks at homes: a login, as far as it decides what it sees. */
export interface Viewer {
  readonly homes: readonly LoginHome[];
  readonly rules: { readonly layout?: Layout };
}

/**
 * Where a document of this home is put to replace an earlier one, as the login sees it that dropped the file; for a program that writes to
 * disk, as it is there. `readers` read it, too. A child knows nothing of the folder in which its partner sees the home: where readers differ in that,
 * the folder is not named.
 */
export function overwriteAdvice(viewer: Viewer | undefined, home: string, readers: readonly Viewer[]): string {
  const own = overwriteFolder(viewer, home);
  const isOwnTop = viewer === undefined || folderOf(viewer, home) === '';
  return isOwnTop || readers.every((reader) => overwriteFolder(reader, home) === own) ? own : 'the folder overwrite of its inbox';
}

function overwriteFolder(viewer: Viewer | undefined, home: string): string {
  const folder = viewer ? folderOf(viewer, home) : '';
  return [folder, namesOf(viewer?.rules.layout).inbox, 'overwrite'].filter((name) => name !== '').join('/');
}

function folderOf({ homes }: Viewer, home: string): string {
  return homes.find((each) => each.home === home)?.folder ?? '';
}

/** Folders in folders at the most. */
const NAME_PARTS_MAX = 3;

/** Throws `usage` for names that are not safe, that two folders would have, also one of a kind, or by which one would lie in another. */
export function checkLayout(layout: Layout | undefined, answers: readonly Answer[]): void {
  const names = namesOf(layout);
  const folders = foldersIn(names);
  for (const answer of answers.filter(isAtTop)) {
    const folder = folders.find((each) => pathOf(names[each])[0] === answer);
    if (folder)
      throw new AppError(
        'usage',
        `The layout calls ${folder} '${names[folder]}', and so is the folder that answers called: give ${folder} another name.`,
      );
  }
  for (const folder of folders) checkParts(folder, names[folder]);
  if (names.outbox === '') checkKinds(names, folders, Object.keys(namingOf(layout).kinds));
  for (const [at, folder] of folders.entries())
    for (const other of folders.slice(0, at)) checkApart([other, names[other]], [folder, names[folder]]);
}

/** With the outbox at the top its folders of kinds stand there, too. */
function checkKinds(names: FolderNames, folders: readonly SeenFolder[], kinds: readonly string[]): void {
  for (const folder of folders) {
    const kind = kinds.find((each) => each.toLowerCase() === pathOf(names[folder])[0]);
    if (kind !== undefined)
      throw new AppError('usage', `With the outbox at the top '${kind}' has what was received of that kind: give ${folder} another name.`);
  }
}

function checkParts(folder: SeenFolder, name: string): void {
  if (name === '' && folder === 'outbox') return;
  if (name === '') throw new AppError('usage', `Only the outbox may stand at the top: give ${folder} a name.`);
  const parts = name.split('/');
  for (const part of parts) checkedName(`The name of ${folder}`, part);
  if (parts.length > NAME_PARTS_MAX)
    throw new AppError('usage', `'${name}' is too deep for ${folder}: at most ${NAME_PARTS_MAX} folders lead to its files.`);
}

type NamedFolder = readonly [folder: SeenFolder, name: string];

/** Where case does not matter, too: homes are copied to where it does not. */
function checkApart([one, its]: NamedFolder, [other, name]: NamedFolder): void {
  const [path, otherPath] = [pathOf(its), pathOf(name)];
  const apart = path.findIndex((part, at) => part !== otherPath[at]);
  const shared = apart < 0 ? path.length : apart;
  if (shared === path.length && shared === otherPath.length)
    throw new AppError('usage', `${one} and ${other} cannot both be '${name}': choose another name for one of them.`);
  // At the top folders stand among the files of the outbox.
  if (path.length > 0 && shared === path.length) throw liesIn(other, name, one);
  if (otherPath.length > 0 && shared === otherPath.length) throw liesIn(one, its, other);
  const isSpelledTwice = its.split('/').some((part, at) => at < shared && part !== name.split('/')[at]);
  if (isSpelledTwice) throw new AppError('usage', `'${its}' and '${name}' begin with one folder: spell it the same in both.`);
}

function liesIn(folder: SeenFolder, name: string, other: SeenFolder): AppError {
  return new AppError('usage', `'${name}' would put ${folder} into ${other}: folders may share one above them, and none lies in another.`);
}

/** The folders that lead to it, as far as they can be told apart. */
function pathOf(name: string): string[] {
  return name === '' ? [] : name.toLowerCase().split('/');
}
