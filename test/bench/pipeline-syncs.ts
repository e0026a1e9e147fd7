// Counts fsyncs of a process by strace, in a run of its own.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { table } from './figures.ts';

/** What is fsynced, by its path. */
const SYNCED: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['uploaded files', /\/spool\/receiving\/./],
  ['staged receipts and documents', /\/\.?staged\/./],
  ["gateway's ledger", /\/gateway\.db/],
  ["core's ledger", /\/core\.db/],
  ['folders of the spool', /\/spool\/[^/]+$/],
  ['folder of what is staged', /\/\.?staged$/],
  ['folders of homes', /\/homes\/[^/]+\/[a-z]+$/],
];

export function canTrace(): boolean {
  return spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']).status === 0;
}

export interface SyncTrace {
  /** What stands before the command of the process that is traced. */
  readonly command: readonly string[];
  /** The paths that were fsynced since the last call. */
  take(): string[];
}

/** The process stops at fsyncs alone, so that it is as fast as without. */
export function traceSyncs(file: string): SyncTrace {
  let seen = 0;
  return {
    command: ['strace', '-f', '--seccomp-bpf', '-y', '-e', 'trace=fsync,fdatasync', '-o', file],
    take() {
      const text = readFileSync(file, 'utf8');
      const fresh = text.slice(seen);
      seen = text.length;
      return [...fresh.matchAll(/f(?:data)?sync\(\d+<(.*?)>/g)].map(([, path = '']) => path);
    },
  };
}

/** Lines for each kind of file. */
export function syncTable(paths: readonly string[], documents: number): string {
  const each = (found: readonly string[]): string => (found.length / documents).toFixed(2);
  const other = paths.filter((path) => !SYNCED.some(([, pattern]) => pattern.test(path)));
  return table([
    ['fsyncs per document', each(paths)],
    ...SYNCED.map(([name, pattern]) => [`  ${name}`, each(paths.filter((path) => pattern.test(path)))] as const),
    ['  other', each(other)],
  ]);
}
