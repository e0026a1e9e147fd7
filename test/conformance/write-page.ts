// Writes docs/conformance.md anew.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { hasConformance } from '../support/conformance.ts';
import { conformance } from './page.ts';

if (hasConformance) writeFileSync(resolve(import.meta.dirname, '../../docs/conformance.md'), conformance().page);
else process.exitCode = 2;
