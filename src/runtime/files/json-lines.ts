// Files of JSON, one object a line.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** Adds a line to a file of the folder, which is made with its first line. */
export function appendLine(folder: string, file: string, line: object): void {
  appendFileSync(join(folder, file), `${JSON.stringify(line)}\n`);
}
