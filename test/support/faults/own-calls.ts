// The durable calls that this process itself makes by node:fs, written down as the fault shim writes down those of a daemon: in its own
// thread, without a compiler, and without SQLite's. Import it before what is to be watched: that may take functions out of node:fs when it is loaded.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { Disk, type Luck, nothingKept } from './disk.ts';
import type { Call, Noted } from './journal.ts';

export interface OwnCalls extends Disposable {
  readonly calls: readonly Call[];
  /** Puts into `target` what is left of the root when the power fails before call `at`; after all calls when left out. */
  losePower(target: string, at?: number, luck?: Luck): void;
}

interface Recording {
  readonly root: string;
  readonly calls: Call[];
  /** Open files and folders, by descriptor. */
  readonly open: Map<number, { readonly id: string; readonly path: string; position: number }>;
}

let recording: Recording | null = null;
let opened = 0;
let syncs = 0;

/** From now on, but for what writeFileSync writes of strings, which it does by itself; what is below the root already counts as durable. One at a time. */
export function recordCalls(root: string): OwnCalls {
  const calls: Call[] = [];
  seed(root, '', calls);
  recording = { root, calls, open: new Map() };
  return {
    calls,
    losePower: (target, at = calls.length, luck = nothingKept) => Disk.of(calls).afterPowerLoss(at, luck, '', target),
    [Symbol.dispose]() {
      recording = null;
    },
  };
}

function callOf(kind: Noted, path: string, more: Partial<Call> = {}): Call {
  return { kind, path, file: null, offset: 0, bytes: Buffer.alloc(0), other: '', ...more };
}

function synced(calls: Call[], path: string, file: string): void {
  const offset = ++syncs;
  calls.push(callOf('sync-begin', path, { file, offset }), callOf('sync', path, { file, offset }));
}

function seed(root: string, below: string, calls: Call[]): void {
  for (const entry of fs.readdirSync(join(root, below), { withFileTypes: true })) {
    const path = `${below}/${entry.name}`;
    const file = `seed:${++opened}`;
    if (entry.isDirectory()) {
      calls.push(callOf('mkdir', path));
      seed(root, path, calls);
    } else if (entry.isFile()) {
      calls.push(callOf('create', path, { file }), callOf('write', path, { file, bytes: fs.readFileSync(join(root, path)) }));
      synced(calls, path, file);
    }
  }
  const file = `seed:${++opened}`;
  calls.push(callOf('open', below, { file }));
  synced(calls, below, file);
}

/** Below the root; null outside of it. */
function placeOf({ root, open }: Recording, given: unknown): string | null {
  const path = String(given);
  const [, descriptor = '', rest = ''] = /^\/proc\/self\/fd\/(\d+)(\/.*)?$/.exec(path) ?? [];
  const folder = descriptor === '' ? undefined : open.get(Number(descriptor))?.path;
  if (folder !== undefined) return folder + rest;
  return path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : null;
}

/** What has begun is told how it ended, if it did well. */
type Note = (given: readonly unknown[], on: Recording) => ((result: unknown) => void) | null;

function creates(flags: unknown): boolean {
  return typeof flags === 'number' ? (flags & fs.constants.O_CREAT) !== 0 : /^[wa]/.test(String(flags));
}

function cuts(flags: unknown): boolean {
  return typeof flags === 'number' ? (flags & fs.constants.O_TRUNC) !== 0 : /^w/.test(String(flags));
}

/** A change of names: of which, and to what. */
const named =
  (kind: Noted): Note =>
  ([from, to], on) => {
    const [path, other] = [placeOf(on, from), placeOf(on, to)];
    return path === null ? null : () => void on.calls.push(callOf(kind, path, { other: other ?? '' }));
  };

const removed: Note = ([path], on) => {
  const place = placeOf(on, path);
  const wasFile = place !== null && fs.lstatSync(join(on.root, place), { throwIfNoEntry: false })?.isFile() === true;
  return wasFile ? () => void on.calls.push(callOf('unlink', place)) : null;
};

const NOTES: Readonly<Record<string, Note>> = {
  open([path, flags], on) {
    const place = placeOf(on, path);
    if (place === null) return null;
    return (descriptor) => {
      const id = `own:${++opened}`;
      on.open.set(Number(descriptor), { id, path: place, position: 0 });
      on.calls.push(callOf(cuts(flags) ? 'cut' : creates(flags) ? 'create' : 'open', place, { file: id }));
    };
  },
  close([descriptor], on) {
    on.open.delete(Number(descriptor));
    return null;
  },
  write([descriptor, bytes, from, length, position], on) {
    const file = on.open.get(Number(descriptor));
    if (!file || !(bytes instanceof Uint8Array)) return null;
    const start = typeof from === 'number' ? from : 0;
    const copy = Buffer.from(bytes.subarray(start, typeof length === 'number' ? start + length : undefined));
    return (written) => {
      const offset = typeof position === 'number' ? position : file.position;
      if (typeof position !== 'number') file.position += Number(written);
      on.calls.push(callOf('write', file.path, { file: file.id, offset, bytes: copy.subarray(0, Number(written)) }));
    };
  },
  fsync([descriptor], on) {
    const file = on.open.get(Number(descriptor));
    if (!file) return null;
    const offset = ++syncs;
    on.calls.push(callOf('sync-begin', file.path, { file: file.id, offset }));
    return () => void on.calls.push(callOf('sync', file.path, { file: file.id, offset }));
  },
  ftruncate([descriptor, length], on) {
    const file = on.open.get(Number(descriptor));
    return file ? () => void on.calls.push(callOf('truncate', file.path, { file: file.id, offset: Number(length ?? 0) })) : null;
  },
  mkdir([path], on) {
    const made: string[] = [];
    for (let at = String(path); placeOf(on, at) !== null && !fs.existsSync(at); at = dirname(at)) made.unshift(placeOf(on, at) ?? '');
    return () => on.calls.push(...made.map((place) => callOf('mkdir', place)));
  },
  rename: named('rename'),
  link: named('link'),
  unlink: removed,
  rm: removed,
};

function watch(name: string, note: Note): void {
  const original: unknown = Reflect.get(fs, name);
  if (typeof original !== 'function') return;
  const isSync = name.endsWith('Sync');
  const watched = (...given: unknown[]): unknown => {
    const done = recording && note(given, recording);
    if (!done) return Reflect.apply(original, fs, given);
    if (isSync) {
      const result: unknown = Reflect.apply(original, fs, given);
      done(result);
      return result;
    }
    const callback = given.pop();
    const told = (error: unknown, ...results: unknown[]): void => {
      if (!error) done(results[0]);
      if (typeof callback === 'function') Reflect.apply(callback, undefined, [error, ...results]);
    };
    return Reflect.apply(original, fs, [...given, told]);
  };
  // By what hangs on them, promisify knows what they resolve with.
  Object.defineProperties(watched, Object.getOwnPropertyDescriptors(original));
  Reflect.set(fs, name, watched);
}

for (const [name, note] of Object.entries(NOTES)) {
  watch(name, note);
  watch(`${name}Sync`, note);
}
syncBuiltinESMExports();
