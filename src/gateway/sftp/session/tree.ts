// The tree that a login sees: the folders of its home at the top, or one folder per home; named as its layout says.
import type { Login } from '#gateway/model/account.ts';
import { type ByteName, type DropFolder, INBOX_FOLDERS, toByteName } from '#gateway/model/intake.ts';
import { foldersIn, namesOf, namingOf } from '#gateway/model/layout.ts';
import { ANSWER_FOLDER, ORDER_ANSWERS } from '#gateway/model/order-answer.ts';
import { type Naming, sightOf } from '#gateway/model/provider-names.ts';
import { type HomeFolder, isViewName, type SeenFolder, type ViewName } from '#gateway/model/rule-words.ts';

/** A folder of a home in which the gateway publishes files. */
export interface PublishedFolder {
  readonly home: string;
  readonly folder: Exclude<HomeFolder, 'inbox'>;
}

/** A folder on disk, and those of its files that are shown. */
export interface Source {
  readonly at: PublishedFolder;
  /** The name by which one is shown; undefined for one that is not. */
  readonly shown: (onDisk: ByteName) => ByteName | undefined;
  /** The name on disk of what would be shown so; undefined where nothing would. */
  readonly onDisk: (shown: ByteName) => ByteName | undefined;
}

/** A view of a home: nothing on disk stands behind it. */
export interface HomeView {
  readonly home: string;
  readonly view: ViewName;
}

/** A folder in which orders are answered: the folders that lead to it from the home. */
export interface AnswerPlace {
  readonly home: string;
  readonly components: readonly ByteName[];
}

/** What a path means; whether a file is there is another question. */
export type Node =
  /** The top, or the top of a home: folders that are always the same. */
  | { readonly kind: 'fixed'; readonly children: readonly ByteName[] }
  /** `sources`: the folders of which files are shown among what was dropped; nothing can be dropped under their names. */
  | { readonly kind: 'inbox'; readonly place: DropFolder; readonly children: readonly ByteName[]; readonly sources: readonly Source[] }
  /**
   * A file in the inbox: an upload as it is shown, whether it is still there or was taken. `isMarker`: its name says that another one is complete,
   * and it is no document.
   */
  | { readonly kind: 'dropped'; readonly place: DropFolder; readonly name: ByteName; readonly isMarker: boolean }
  /**
   * `children`: folders that stand among the files, and hide any that has their name. `sources`: the folders whose files are shown, and which of
   * them: a name is that of a file in the first that has it.
   */
  | {
      readonly kind: 'published-folder';
      readonly at: PublishedFolder;
      readonly children: readonly ByteName[];
      readonly sources: readonly Source[];
    }
  /** By its name on disk. `isAmongDropped`: it is shown in the inbox. */
  | { readonly kind: 'published-file'; readonly at: PublishedFolder; readonly name: ByteName; readonly isAmongDropped: boolean }
  | { readonly kind: 'view'; readonly at: HomeView }
  | { readonly kind: 'view-file'; readonly at: HomeView; readonly name: ByteName }
  | { readonly kind: 'answer-folder'; readonly at: AnswerPlace }
  /** An order in it, or a folder that was made for a reason; which of them is known on disk. */
  | { readonly kind: 'answer-entry'; readonly at: AnswerPlace; readonly name: ByteName }
  /** Nothing can ever be there. */
  | { readonly kind: 'nowhere' };

export type NodeOf<Kind extends Node['kind']> = Extract<Node, { kind: Kind }>;

const NOWHERE: Node = { kind: 'nowhere' };

/** What decides the tree of a login. */
type Viewer = Pick<Login, 'homes' | 'rules'>;

/** Kept for each login as it is now: building a tree of hundreds of homes takes too long for every request. */
const trees = new WeakMap<Viewer, Tree>();

interface Tree {
  /** The home whose folders stand at the top. */
  readonly own: string | undefined;
  /** Homes by their folders. */
  readonly homes: ReadonlyMap<ByteName, string>;
  /** Folders of a home by the paths to them. */
  readonly folders: ReadonlyMap<ByteName, SeenFolder>;
  /** What stands in the folders that lead to them, by their paths; '' is the top of the home. */
  readonly ways: ReadonlyMap<ByteName, readonly ByteName[]>;
  readonly views: ReadonlyMap<ByteName, ViewName>;
  readonly hasAnswers: boolean;
  /** Below the inbox. */
  readonly inner: readonly DropFolder['folder'][];
  readonly naming: Naming;
  /** Below the inbox, and below the outbox. */
  readonly kinds: readonly ByteName[];
  /** The outbox stands at the top of each home, and the other folders among its files. */
  readonly isFlat: boolean;
}

export function findNode(viewer: Viewer, components: readonly ByteName[]): Node {
  const tree = trees.get(viewer) ?? grow(viewer);
  if (tree.own !== undefined) return inHome(tree, tree.own, components);
  const [first, ...rest] = components;
  if (first === undefined) return { kind: 'fixed', children: [...tree.homes.keys()] };
  const home = tree.homes.get(first);
  return home === undefined ? NOWHERE : inHome(tree, home, rest);
}

function grow(viewer: Viewer): Tree {
  const names = namesOf(viewer.rules.layout);
  const named = foldersIn(names).filter((folder) => names[folder] !== '');
  const views = new Map((viewer.rules.answers ?? []).filter(isViewName).map((view) => [toByteName(view), view] as const));
  const hasAnswers = viewer.rules.answers?.includes(ANSWER_FOLDER) === true;
  const naming = namingOf(viewer.rules.layout);
  const tree: Tree = {
    own: viewer.homes.find(({ folder }) => folder === '')?.home,
    homes: new Map(viewer.homes.map(({ home, folder }) => [toByteName(folder), home])),
    folders: new Map(named.map((folder) => [toByteName(names[folder]), folder])),
    ways: waysTo([...named.map((folder) => toByteName(names[folder])), ...views.keys(), ...(hasAnswers ? [ANSWER_FOLDER] : [])]),
    views,
    hasAnswers,
    inner: INBOX_FOLDERS.filter((folder) => folder !== 'test' || viewer.rules.answers?.includes(folder)),
    naming,
    kinds: Object.keys(naming.kinds),
    isFlat: names.outbox === '',
  };
  trees.set(viewer, tree);
  return tree;
}

/** Each folder that leads to one of the paths, with what stands in it. */
function waysTo(paths: readonly ByteName[]): Map<ByteName, ByteName[]> {
  const ways = new Map<ByteName, ByteName[]>([['', []]]);
  for (const path of paths) {
    const parts = path.split('/');
    for (const [depth, part] of parts.entries()) {
      const way = parts.slice(0, depth).join('/');
      const children = ways.get(way) ?? [];
      if (!children.includes(part)) ways.set(way, [...children, part]);
    }
  }
  return ways;
}

function inHome(tree: Tree, home: string, components: readonly ByteName[]): Node {
  const { ways, views, hasAnswers, isFlat } = tree;
  const children = ways.get(components.join('/'));
  if (children)
    return components.length === 0 && isFlat
      ? publishedFolder(tree, home, 'outbox', [...children, ...tree.kinds])
      : { kind: 'fixed', children };
  const [folder, inFolder] = folderOn(tree, components);
  if (folder === 'inbox') return inInbox(tree, home, inFolder);
  if (folder !== undefined) return inPublished(tree, home, folder, inFolder);
  const [first = '', ...below] = components;
  const view = views.get(first);
  if (view !== undefined) return inView({ home, view }, below);
  if (hasAnswers && first === ANSWER_FOLDER) return inAnswers(home, below);
  return isFlat ? inPublished(tree, home, 'outbox', components) : NOWHERE;
}

/** The folder to which the path leads, and what follows it. */
function folderOn({ folders }: Tree, components: readonly ByteName[]): [folder: SeenFolder | undefined, below: readonly ByteName[]] {
  let path = '';
  for (const [depth, part] of components.entries()) {
    path = depth === 0 ? part : `${path}/${part}`;
    const folder = folders.get(path);
    if (folder !== undefined) return [folder, components.slice(depth + 1)];
  }
  return [undefined, []];
}

type SeenPublished = Exclude<SeenFolder, 'inbox'>;

function inPublished(tree: Tree, home: string, seen: SeenPublished, below: readonly ByteName[]): Node {
  const kinds = seen === 'outbox' ? tree.kinds : [];
  const kind = kinds.find((each) => each === below[0]);
  const folder = publishedFolder(tree, home, seen, kind === undefined ? kinds : [], kind);
  const [name, ...deeper] = kind === undefined ? below : below.slice(1);
  if (name === undefined) return folder;
  return (deeper.length === 0 && publishedFile(folder.sources, name)) || NOWHERE;
}

function publishedFolder(
  { naming }: Tree,
  home: string,
  folder: SeenPublished,
  children: readonly ByteName[],
  kind?: ByteName,
): NodeOf<'published-folder'> {
  const besides = kind === undefined ? besidesIn(naming, home, folder) : [];
  if (folder === 'duplicates') return { kind: 'published-folder', at: { home, folder: 'accepted' }, children, sources: besides };
  const at: PublishedFolder = { home, folder };
  const own = (name: ByteName): ByteName | undefined => {
    const sight = sightOf(naming, folder, name);
    return sight.folder === folder && sight.kind === kind ? name : undefined;
  };
  return { kind: 'published-folder', at, children, sources: [...besides, { at, shown: own, onDisk: own }] };
}

/** The folders of which some files are shown in that one, and in no other. */
function besidesIn(naming: Naming, home: string, among: SeenFolder): Source[] {
  return naming.beside
    .filter((each) => each.among === among)
    .map(({ folder, shown, onDisk }) => {
      const isHere = (there: ByteName): boolean => sightOf(naming, folder, there).folder === among;
      return {
        at: { home, folder },
        shown: (there) => (isHere(there) ? shown(there) : undefined),
        onDisk(name) {
          const there = onDisk(name);
          return there !== undefined && isHere(there) ? there : undefined;
        },
      };
    });
}

/** Null where none of the folders would show a file so. */
function publishedFile(sources: readonly Source[], shown: ByteName, isAmongDropped = false): NodeOf<'published-file'> | null {
  for (const { at, onDisk } of sources) {
    const name = onDisk(shown);
    if (name !== undefined) return { kind: 'published-file', at, name, isAmongDropped };
  }
  return null;
}

function inView(at: HomeView, [name, ...deeper]: readonly ByteName[]): Node {
  if (name === undefined) return { kind: 'view', at };
  return deeper.length === 0 ? { kind: 'view-file', at, name } : NOWHERE;
}

/** `answer/accept`, and below it one folder at the most. */
function inAnswers(home: string, [first, ...below]: readonly ByteName[]): Node {
  if (first === undefined) return { kind: 'fixed', children: ORDER_ANSWERS };
  if (!ORDER_ANSWERS.some((answer) => answer === first)) return NOWHERE;
  const [name, inner, ...deeper] = below;
  const components = [ANSWER_FOLDER, first];
  if (name === undefined) return { kind: 'answer-folder', at: { home, components } };
  if (inner === undefined) return { kind: 'answer-entry', at: { home, components }, name };
  return deeper.length === 0 ? { kind: 'answer-entry', at: { home, components: [...components, name] }, name: inner } : NOWHERE;
}

/** A folder of a kind is a door to the same inbox: the document itself tells its kind. */
function inInbox({ inner, kinds, naming }: Tree, home: string, path: readonly ByteName[]): Node {
  const isDoor = kinds.some((kind) => kind === path[0]);
  const below = isDoor ? path.slice(1) : path;
  const folder = inner.find((each) => each === below[0]);
  const place: DropFolder = { home, folder: folder ?? 'inbox' };
  const sources = folder ? [] : besidesIn(naming, home, 'inbox');
  const [name, ...deeper] = folder ? below.slice(1) : below;
  if (name === undefined) return { kind: 'inbox', place, children: folder ? [] : [...inner, ...(isDoor ? [] : kinds)], sources };
  if (deeper.length > 0) return NOWHERE;
  // Out of tmp a file may still get the name of a document.
  const isMarker = folder !== 'tmp' && naming.markers?.test(name) === true;
  return publishedFile(sources, name, true) ?? { kind: 'dropped', place, name, isMarker };
}
