// A disk as a journal of calls left it: after any of them when the process died there, or after a power loss that forgot what nobody had
// synced.
//
// What a sync of a file made durable is what was written to it before the sync began; what a sync of a folder made durable are its names.
// A new file needs both. A rename is one step, as on every file system with a journal of its own: a sync of either folder keeps it. After
// a sync that failed, what it was to keep is lost for good. Anything else may be there after the power loss, or not, in any combination.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import type { Call, Noted } from './journal.ts';

interface File {
  readonly kind: 'file';
  /** Where it was made, for who must tell files apart. */
  readonly path: string;
}
interface Folder {
  readonly kind: 'folder';
  readonly path: string;
  /** The names at the end of the journal, or on the way there. */
  readonly names: Map<string, Node>;
}
type Node = File | Folder;

/** One step of a file or folder, and the calls between which only luck keeps it. */
export interface Change {
  /** Number of the call. */
  readonly at: number;
  readonly what: 'bytes' | 'length' | 'names';
  readonly path: string;
  /** The call from which on it is safe; Infinity when that never came. */
  safeFrom: number;
  readonly apply: (disk: State, sharedBytes: number) => void;
  readonly size: number;
}

/** What luck makes of a change that nobody had synced: all of it, nothing, or (of bytes) so many of its first. */
export type Luck = (change: Change) => 'kept' | 'lost' | number;

export const nothingKept: Luck = () => 'lost';
/** A file server has each name at once, and bytes when they are synced. */
export const onlyNamesKept: Luck = ({ what }) => (what === 'names' ? 'kept' : 'lost');
const everythingKept: Luck = () => 'kept';

interface State {
  readonly names: Map<Folder, Map<string, Node>>;
  readonly content: Map<File, Content>;
}

/** Bytes that grow at the end without being copied each time. */
class Content {
  #bytes = Buffer.alloc(8_192);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** What is cut off is gone: made longer again, the file has zeros there. */
  resize(length: number): void {
    if (length < this.#length) this.#bytes.fill(0, length, this.#length);
    while (this.#bytes.length < length) this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 4);
    this.#length = length;
  }

  write(bytes: Buffer, offset: number): void {
    if (offset + bytes.length > this.#length) this.resize(offset + bytes.length);
    bytes.copy(this.#bytes, offset);
  }
}

export class Disk {
  readonly changes: readonly Change[];
  readonly #root: Folder;

  private constructor(root: Folder, changes: readonly Change[]) {
    this.#root = root;
    this.changes = changes;
  }

  /** `forgets`: syncs that do nothing, which is the defect that tests must notice. */
  static of(calls: readonly Call[], forgets: (path: string, isFolder: boolean) => boolean = () => false): Disk {
    const reader = new Reader(forgets);
    for (const [at, call] of calls.entries()) reader.read(call, at);
    return new Disk(reader.root, reader.changes);
  }

  /** What is below `path` when the process has died before call `at`, put into the folder `target`. */
  afterDeath(at: number, path: string, target: string): void {
    this.afterPowerLoss(at, everythingKept, path, target);
  }

  /** The same when the whole machine has. */
  afterPowerLoss(at: number, luck: Luck, path: string, target: string): void {
    const state: State = { names: new Map(), content: new Map() };
    for (const change of this.changes) {
      if (change.at >= at) break;
      const fate = change.safeFrom < at ? 'kept' : luck(change);
      if (fate !== 'lost') change.apply(state, fate === 'kept' ? change.size : fate);
    }
    let node: Node | undefined = this.#root;
    for (const name of path.split('/').filter((part) => part !== ''))
      node = node?.kind === 'folder' ? state.names.get(node)?.get(name) : undefined;
    mkdirSync(target, { recursive: true });
    if (node?.kind === 'folder') put(state, node, target);
  }
}

function contentOf({ content }: State, file: File): Content {
  const found = content.get(file) ?? new Content();
  content.set(file, found);
  return found;
}

function put(state: State, folder: Folder, target: string): void {
  for (const [name, node] of state.names.get(folder) ?? []) {
    const path = join(target, name);
    if (node.kind === 'file') {
      writeFileSync(path, state.content.get(node)?.bytes ?? '', { mode: 0o640 });
    } else {
      mkdirSync(path);
      put(state, node, path);
    }
  }
}

/** Follows the calls one after the other, and knows at each moment what was open, what had which name, and what was synced. */
class Reader {
  readonly root: Folder = { kind: 'folder', path: '/', names: new Map() };
  readonly changes: Change[] = [];
  readonly #open = new Map<string, Node>();
  readonly #unsynced = new Map<Node, Set<Change>>();
  readonly #syncing = new Map<string, readonly Change[]>();
  readonly #forgets: (path: string, isFolder: boolean) => boolean;

  constructor(forgets: (path: string, isFolder: boolean) => boolean) {
    this.#forgets = forgets;
  }

  read(call: Call, at: number): void {
    this.#calls[call.kind](call, at);
  }

  readonly #calls: Readonly<Record<Noted, (call: Call, at: number) => void>> = {
    mark: () => undefined,
    close: () => undefined,
    open: (call) => this.#remember(call, this.#find(call.path)),
    create: (call, at) => this.#remember(call, this.#find(call.path) ?? this.#make(call.path, at)),
    cut: (call, at) => {
      this.#calls.create(call, at);
      const file = this.#file(call);
      if (file) this.#changed(at, 'length', file, 0, (state) => contentOf(state, file).resize(0));
    },
    write: (call, at) => {
      const file = this.#file(call);
      if (!file) throw new Error(`the journal does not tell where ${call.path} came from`);
      const { bytes, offset } = call;
      this.#changed(at, 'bytes', file, bytes.length, (state, size) => contentOf(state, file).write(bytes.subarray(0, size), offset));
    },
    truncate: (call, at) => {
      const file = this.#file(call);
      if (file) this.#changed(at, 'length', file, 0, (state) => contentOf(state, file).resize(call.offset));
    },
    mkdir: ({ path }, at) => this.#set(at, [[path, { kind: 'folder', path, names: new Map() }]]),
    link: ({ path, other }, at) => this.#set(at, [[other, this.#found(path)]]),
    rename: ({ path, other }, at) =>
      this.#set(at, [
        [path, null],
        [other, this.#found(path)],
      ]),
    unlink: ({ path }, at) => this.#set(at, [[path, null]]),
    rmdir: ({ path }, at) => this.#set(at, [[path, null]]),
    'sync-begin': (call) => {
      const node = this.#open.get(call.file ?? '');
      this.#syncing.set(`${call.file} ${call.offset}`, node ? [...(this.#unsynced.get(node) ?? [])] : []);
    },
    sync: (call, at) => this.#synced(call, (change) => Math.min(change.safeFrom, at)),
    'sync-failed': (call) => this.#synced(call, (change) => change.safeFrom),
  };

  #synced(call: Call, safeFrom: (change: Change) => number): void {
    const node = this.#open.get(call.file ?? '');
    if (!node || this.#forgets(node.path, node.kind === 'folder')) return;
    for (const change of this.#syncing.get(`${call.file} ${call.offset}`) ?? []) {
      change.safeFrom = safeFrom(change);
      this.#unsynced.get(node)?.delete(change);
    }
  }

  #remember(call: Call, node: Node | undefined): void {
    if (call.file !== null && node) this.#open.set(call.file, node);
  }

  #file(call: Call): File | undefined {
    const node = this.#open.get(call.file ?? '');
    return node?.kind === 'file' ? node : undefined;
  }

  #make(path: string, at: number): File {
    const file: File = { kind: 'file', path };
    this.#set(at, [[path, file]]);
    return file;
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.root;
    for (const name of path.split('/').filter((part) => part !== '')) node = node?.kind === 'folder' ? node.names.get(name) : undefined;
    return node;
  }

  #found(path: string): Node {
    const node = this.#find(path);
    if (!node) throw new Error(`the journal does not tell where ${path} came from`);
    return node;
  }

  /** One that the journal knows nothing of was there before it, and safe. */
  #folder(path: string): Folder {
    const found = this.#find(path);
    if (found?.kind === 'file') throw new Error(`${path} is no folder`);
    if (found) return found;
    const folder: Folder = { kind: 'folder', path, names: new Map() };
    this.#set(-1, [[path, folder]]);
    for (const change of this.changes) if (change.at === -1) change.safeFrom = -1;
    return folder;
  }

  /** One step that gives names to nodes, or takes them away. */
  #set(at: number, sets: readonly (readonly [path: string, node: Node | null])[]): void {
    const resolved = sets.map(([path, node]) => {
      const folder = this.#folder(dirname(path));
      const name = path.slice(path.lastIndexOf('/') + 1);
      const before = folder.names.get(name);
      if (node) folder.names.set(name, node);
      else folder.names.delete(name);
      return { folder, name, node, before };
    });
    const apply = ({ names }: State): void => {
      for (const { folder, name, node, before } of resolved) {
        const entries = names.get(folder) ?? new Map<string, Node>();
        names.set(folder, entries);
        if (node) entries.set(name, node);
        else if (entries.get(name) === before) entries.delete(name);
      }
    };
    const change: Change = { at, what: 'names', path: sets.at(-1)?.[0] ?? '', safeFrom: Number.POSITIVE_INFINITY, apply, size: 0 };
    this.#add(
      change,
      resolved.map(({ folder }) => folder),
    );
  }

  #changed(at: number, what: 'bytes' | 'length', file: File, size: number, apply: Change['apply']): void {
    this.#add({ at, what, path: file.path, safeFrom: Number.POSITIVE_INFINITY, apply, size }, [file]);
  }

  #add(change: Change, nodes: readonly Node[]): void {
    this.changes.push(change);
    for (const node of nodes) {
      const unsynced = this.#unsynced.get(node) ?? new Set();
      this.#unsynced.set(node, unsynced.add(change));
    }
  }
}
