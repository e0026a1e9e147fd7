// What starts first in the form that is installed (test/package/bundle.ts), as main.cjs does in a checkout; that form brings its own Node.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
await import('./cli/main.ts');
