// A copy of some modules of a part with a defect in it: what a test must find. The sources stay as they are.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

type Part = 'gateway' | 'core' | 'engines' | 'runtime';

/** In which file of the part what is replaced by what. */
export interface Defect {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Copies the modules, which import each other, with the defects made, and imports the first of them. Each place must be there exactly once:
 * a defect that does not apply any more must not look like one that is found.
 */
export async function importWithDefect(modules: readonly string[], defects: readonly Defect[], part: Part = 'gateway'): Promise<unknown> {
  const folder = mkdtempSync(join(ROOT, 'test', '.defect-'));
  try {
    for (const file of modules) {
      let text = readFileSync(join(ROOT, 'src', part, file), 'utf8');
      for (const { from, to } of defects.filter((each) => each.file === file)) {
        if (text.split(from).length !== 2) throw new Error(`${file} does not have this once: ${from}`);
        text = text.replace(from, to);
      }
      const imports = text.replaceAll(new RegExp(`'(\\./|#${part}/)([\\w./-]+)'`, 'g'), (_own, start, path) => {
        const named = start === './' ? join(dirname(file), path) : path;
        return modules.includes(named) ? `'${beside(file, named)}'` : `'#${part}/${named}'`;
      });
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), imports);
    }
    const [first = ''] = modules;
    const loaded: unknown = await import(join(folder, first));
    return loaded;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function beside(file: string, named: string): string {
  const path = relative(dirname(file), named);
  return path.startsWith('.') ? path : `./${path}`;
}
