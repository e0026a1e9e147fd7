// What the suite needs of this machine; `run.sh` installs it.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { needed, neededPackage } from '../support/needed.ts';
import { findJava, JAVA_MIN, type Java } from './java.ts';
import { findPostgres } from './postgres.ts';

/** Where `run.sh` brings it. */
const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/phoss-ap');

export interface Installed {
  readonly java: Java;
  /** The folder of its programs. */
  readonly postgres: string;
  /** The application with all that it needs. */
  readonly jar: string;
}

export function findInstalled(): Installed | undefined {
  const java = findJava();
  const postgres = findPostgres();
  const jar = process.env.DROPGATE_PHOSS_AP ?? fetchedJar();
  const all = [
    needed('Java', java !== undefined, `install a Java runtime, ${JAVA_MIN} or newer`),
    neededPackage('PostgreSQL', postgres !== undefined, 'postgresql'),
    needed('phoss-ap', existsSync(jar), 'name its executable jar in DROPGATE_PHOSS_AP'),
  ];
  if (!all.every(Boolean) || !java || !postgres) return undefined;
  return { java, postgres, jar };
}

function fetchedJar(): string {
  const name = existsSync(FOLDER) ? readdirSync(FOLDER).find((each) => each.endsWith('.jar')) : undefined;
  return name === undefined ? '' : join(FOLDER, name);
}
