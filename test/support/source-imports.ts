// The files of src, and what each imports.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const SRC = join(import.meta.dirname, '../../src');

export interface Import {
  /** Both below src, as `gateway/spool/inbox.ts`; packages as they are named. */
  readonly from: string;
  readonly to: string;
}

const IMPORT = /^(?:import|export)\b[^;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

export const files: readonly string[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** Those of types, too. */
export const imports: readonly Import[] = files.flatMap((from) =>
  [...readFileSync(join(SRC, from), 'utf8').matchAll(IMPORT)].map(([, named, bare, late]) => ({
    from,
    to: resolved(from, named ?? bare ?? late ?? ''),
  })),
);

function resolved(from: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : specifier;
}
