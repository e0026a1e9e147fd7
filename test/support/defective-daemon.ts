// A daemon of the sources with a defect in it, in each of its threads.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DaemonOptions } from './daemon.ts';
import type { Defect } from './mutant.ts';
import { SOURCES } from './program.ts';

const ROOT = join(import.meta.dirname, '../..');

/** `file`: below src. It must have `from` exactly once, or the daemon does not start. */
export function defectiveDaemon({ file, from, to }: Defect): Pick<DaemonOptions, 'program' | 'nodeOptions'> {
  const place = pathToFileURL(join(ROOT, 'src', file)).href;
  const hooks = `
    import { readFileSync } from 'node:fs';
    import { registerHooks } from 'node:module';
    const [place, from, to] = ${JSON.stringify([place, from, to])};
    registerHooks({
      load(url, context, next) {
        if (url !== place) return next(url, context);
        const parts = readFileSync(new URL(url), 'utf8').split(from);
        if (parts.length !== 2) throw new Error(place + ' does not have this once: ' + from);
        return { format: 'module-typescript', source: parts.join(to), shortCircuit: true };
      },
    });`;
  return { program: SOURCES, nodeOptions: ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`] };
}
