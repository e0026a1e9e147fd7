// Small files of JSON, each read and replaced as a whole.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parsedJson } from '#domain/json.ts';
import { ensureFolder, type ReplaceOptions, replaceDurable } from './durable.ts';

/** Undefined where it is not there, or cannot be read. */
export function readJson(path: string): unknown {
  try {
    return parsedJson(readFileSync(path));
  } catch {
    return undefined;
  }
}

/** In a folder that is made where it is not there. */
export async function replaceJson(path: string, value: unknown, options?: ReplaceOptions): Promise<void> {
  ensureFolder(dirname(path));
  await replaceDurable(path, Buffer.from(JSON.stringify(value)), options);
}
