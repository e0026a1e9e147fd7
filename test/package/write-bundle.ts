// Bundles the program into node_modules/.cache/bundle, where it finds ssh2: for tests.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { bundle } from './bundle.ts';

const folder = resolve(import.meta.dirname, '../../node_modules/.cache/bundle');
rmSync(folder, { recursive: true, force: true });
await bundle(folder);
