// The fault shim for tests and benches: compiled once, given to a program by its environment, told by rules what shall go wrong.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the shim sees. `open` and `close` change nothing, but can fail. */
export const CALLS = [
  'create',
  'cut',
  'write',
  'truncate',
  'sync',
  'sync-folder',
  'rename',
  'link',
  'unlink',
  'mkdir',
  'rmdir',
  'open',
  'close',
] as const;
export type CallKind = (typeof CALLS)[number];

type Failure = 'ENOSPC' | 'EIO' | 'EMFILE' | 'EROFS' | 'ENOENT' | 'ESTALE';

/** Which calls, and what becomes of them. */
export interface Rule {
  /** `fail-after`: a call that changes a name is done, and answered with the failure. */
  readonly action: 'die-before' | 'die-after' | 'fail' | 'fail-after' | 'ignore' | 'delay';
  /** All kinds by default. */
  readonly kinds?: readonly CallKind[];
  /** Pattern of fnmatch(3) for the path below the root, which begins with a slash; all by default. */
  readonly path?: string;
  /** The first one that it is for, counted from 1 among those that match. */
  readonly from?: number;
  /** How many it is for; 0 are all that follow. */
  readonly times?: number;
  /** With `fail` and `fail-after`. */
  readonly failure?: Failure;
  /** With `delay`, of what opens a file or syncs it. */
  readonly delayMs?: number;
}

/** A slow disk: each fsync takes so much longer. */
export function slowSyncs(delayMs: number): Rule {
  return { action: 'delay', kinds: ['sync', 'sync-folder'], delayMs };
}

/** A file system that looks long for a place: each new file takes so much longer to be there. */
export function slowNames(delayMs: number): Rule {
  return { action: 'delay', kinds: ['create'], delayMs };
}

export interface FaultOptions {
  /** Only what is below this folder is seen, by default everything. */
  readonly root?: string;
  /** Whether each call is written down; `journal.ts` reads it. */
  readonly journal?: boolean;
  readonly rules?: readonly Rule[];
}

export interface Faults extends Disposable {
  /** For the program that shall have the faults. */
  readonly env: Readonly<Record<string, string>>;
  /** The rules from now on, for programs that run, too. */
  set(rules: readonly Rule[]): void;
  /** Puts a line of the test's own between the calls. */
  mark(text: string): void;
  journal(): Buffer;
}

/** Says so, rather than pass, where the shim cannot be had: Linux and a C compiler are needed. Dispose to remove its files. */
export function openFaults({ root, journal = false, rules = [] }: FaultOptions = {}): Faults {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-faults-'));
  const [library, journalFile, plan] = [join(folder, 'shim.so'), join(folder, 'journal'), join(folder, 'plan')];
  compile(library);
  writeFileSync(journalFile, '');
  const set = (next: readonly Rule[]): void => {
    writeFileSync(`${plan}.new`, next.map(lineOf).join(''));
    renameSync(`${plan}.new`, plan);
  };
  set(rules);
  return {
    env: {
      LD_PRELOAD: library,
      DROPGATE_FAULT_PLAN: plan,
      ...(root !== undefined && { DROPGATE_FAULT_ROOT: root }),
      ...(journal && { DROPGATE_FAULT_JOURNAL: journalFile }),
    },
    set,
    mark: (text) => markIn(journalFile, text),
    journal: () => readFileSync(journalFile),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Puts a line between the calls of a journal. */
export function markIn(journalFile: string, text: string): void {
  appendFileSync(journalFile, `0\tmark\t0\t0\t0\t${text}\t\n\n`);
}

function compile(library: string): void {
  const source = join(import.meta.dirname, 'shim.c');
  if (process.platform !== 'linux') throw new Error('the fault shim is for Linux: nothing was proved about faults here');
  const compiler = ['/usr/bin/cc', '/usr/bin/gcc'].find(existsSync);
  if (!compiler) throw new Error('no C compiler is installed (Debian: apt install gcc): nothing was proved about faults here');
  execFileSync(compiler, ['-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', '-o', library, source, '-ldl', '-lpthread']);
}

function lineOf({ action, kinds = [], path = '*', from = 1, times = 0, failure, delayMs = 0 }: Rule): string {
  const kind = kinds.length === 0 ? '*' : `@(${kinds.join('|')})`;
  const value = action === 'delay' ? delayMs * 1_000 : failure ? constants.errno[failure] : 0;
  return `${action} ${kind} ${path} ${from} ${times} ${value}\n`;
}
