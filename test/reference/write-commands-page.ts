// Writes docs/commands.md anew.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { commandsPage } from './commands-page.ts';

writeFileSync(resolve(import.meta.dirname, '../../docs/commands.md'), await commandsPage());
