// Where the official test cases and rule facts are: beside this repository, never in it.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { needed } from './needed.ts';

const FOLDER = resolve(import.meta.dirname, '../../../shared/conformance');

export const hasConformance = needed('official cases', existsSync(FOLDER), `put them into ${FOLDER}`);

export function conformanceFile(...names: string[]): string {
  return join(FOLDER, ...names);
}
