// Which program tests start: the sources, or what DROPGATE_TEST_PROGRAM names; in `npm test` the bundled form, which starts in half the time.
import { resolve } from 'node:path';

export const SOURCES = resolve(import.meta.dirname, '../../src/main.ts');

export const MAIN = resolve(process.env.DROPGATE_TEST_PROGRAM ?? SOURCES);
