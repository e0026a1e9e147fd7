// Counts fsyncs of a running process by strace, which slows everything down: in a run of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

export function hasStrace(): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, 'strace')));
}

/** Runs `work` while the fsyncs of the process are written down; returns their paths. None, where strace may not attach. */
export async function syncsDuring(pid: number, folder: string, work: () => Promise<unknown>): Promise<string[]> {
  const trace = join(folder, 'strace');
  const strace = spawn('strace', ['-f', '-y', '-e', 'trace=fsync,fdatasync', '-o', trace, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(strace, 'exit');
  await Promise.race([once(strace.stderr, 'data'), ended]);
  await work();
  strace.kill('SIGINT');
  await ended;
  return existsSync(trace) ? [...readFileSync(trace, 'utf8').matchAll(/f(?:data)?sync\(\d+<(.*?)>/g)].map(([, path = '']) => path) : [];
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
