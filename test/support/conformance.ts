// Where the official test cases and rule facts are: beside this repository, never in it.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve(import.meta.dirname, '../../../shared/conformance');

export const hasConformance = existsSync(FOLDER);

if (!hasConformance) {
  process.stderr.write(`\n*** NOT TESTED: ${FOLDER} is not there, so nothing is proved against the official cases. ***\n\n`);
}

export function conformanceFile(...names: string[]): string {
  return join(FOLDER, ...names);
}
