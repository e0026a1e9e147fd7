// Which program tests start: the sources, or what DROPGATE_TEST_PROGRAM names, as the bundled form (`npm run test:bundled`).
import { resolve } from 'node:path';

const SOURCES = resolve(import.meta.dirname, '../../src/main.ts');

export const MAIN = resolve(process.env.DROPGATE_TEST_PROGRAM ?? SOURCES);
