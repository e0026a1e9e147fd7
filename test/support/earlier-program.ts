// The program as an earlier commit of this clone has it, with the packages of now.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
/** It names the versions of both ledgers, and is changed with each. */
const SCHEMAS = 'test/unit/engines/schema.test.ts';

const git = (...args: readonly string[]): Buffer =>
  execFileSync('git', ['-C', ROOT, ...args], { maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] });

export interface EarlierCommits {
  /** The first whose ledgers are those of now, and the last whose ledgers are others. */
  readonly same: string;
  readonly other: string;
}

/** Undefined where this is no clone, or one without that much history. */
export function earlierCommits(): EarlierCommits | undefined {
  try {
    const [same = '', other = ''] = git('log', '-1', '--format=%H %P', '--', SCHEMAS).toString().trim().split(' ');
    return same === '' || other === '' ? undefined : { same, other };
  } catch {
    return undefined;
  }
}

/** Writes all of a commit into a folder, which is made, with a copy of the packages of now: the package is built there. Returns the commit's time, in seconds since 1970. */
export function projectOf(commit: string, folder: string): number {
  mkdirSync(folder);
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) });
  for (const same of ['node_modules', 'package-lock.json']) execFileSync('cp', ['-a', join(ROOT, same), folder]);
  return Number(git('log', '-1', '--format=%ct', commit));
}

/** Writes the sources of a commit into a folder, which is made, and returns what is started there. */
export function programOf(commit: string, folder: string): string {
  mkdirSync(folder);
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit, 'src', 'package.json') });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'src/main.ts');
}
