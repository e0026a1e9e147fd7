// The tree that a login sees: per home inbox, outbox, receipts, accepted and refused; at the top, or one folder per account.
import type { LoginHome } from '#gateway/accounts.ts';
import { HOME_FOLDERS, type HomeFolder } from '#gateway/home.ts';
import type { ByteName, Place } from '#gateway/intake.ts';
import { toByteName } from './paths.ts';

/** A folder of real files in a home. */
export interface Shelf {
  readonly home: string;
  readonly folder: Exclude<HomeFolder, 'inbox'>;
}

/** What a path means; whether a file is there is another question. */
export type Node =
  /** The top, or the top of a home: folders that are always the same. */
  | { readonly kind: 'fixed'; readonly children: readonly ByteName[] }
  | { readonly kind: 'inbox'; readonly place: Place }
  /** A file in the inbox: what is seen of an upload, whatever became of it. */
  | { readonly kind: 'dropped'; readonly place: Place; readonly name: ByteName }
  | { readonly kind: 'shelf'; readonly shelf: Shelf }
  | { readonly kind: 'kept'; readonly shelf: Shelf; readonly name: ByteName }
  /** Nothing can ever be there. */
  | { readonly kind: 'nowhere' };

export type NodeOf<Kind extends Node['kind']> = Extract<Node, { kind: Kind }>;

const NOWHERE: Node = { kind: 'nowhere' };

/** Folders below the inbox. */
export const INBOX_FOLDERS = ['overwrite', 'tmp'] as const;

export function findNode(homes: readonly LoginHome[], components: readonly ByteName[]): Node {
  const [first, ...rest] = components;
  const own = homes.find((home) => home.folder === '');
  if (first === undefined) return { kind: 'fixed', children: topFolders(homes, own) };
  if (own && isHomeFolder(first)) return inHome(own.home, first, rest);
  const home = homes.find(({ folder }) => folder !== '' && toByteName(folder) === first);
  if (!home) return NOWHERE;
  const [folder, ...below] = rest;
  if (folder === undefined) return { kind: 'fixed', children: HOME_FOLDERS };
  return isHomeFolder(folder) ? inHome(home.home, folder, below) : NOWHERE;
}

function topFolders(homes: readonly LoginHome[], own: LoginHome | undefined): ByteName[] {
  const named = homes.filter((home) => home.folder !== '').map((home) => toByteName(home.folder));
  return [...(own ? HOME_FOLDERS : []), ...named];
}

function inHome(home: string, folder: HomeFolder, below: readonly ByteName[]): Node {
  if (folder === 'inbox') return inInbox(home, below);
  const [name, ...deeper] = below;
  const shelf = { home, folder };
  if (name === undefined) return { kind: 'shelf', shelf };
  return deeper.length === 0 ? { kind: 'kept', shelf, name } : NOWHERE;
}

function inInbox(home: string, below: readonly ByteName[]): Node {
  const inner = INBOX_FOLDERS.find((folder) => folder === below[0]);
  const place: Place = { home, folder: inner ?? 'inbox' };
  const [name, ...deeper] = inner ? below.slice(1) : below;
  if (name === undefined) return { kind: 'inbox', place };
  return deeper.length === 0 ? { kind: 'dropped', place, name } : NOWHERE;
}

function isHomeFolder(name: ByteName): name is HomeFolder {
  return HOME_FOLDERS.some((folder) => folder === name);
}
