// docs/commands.md says what the commands say of themselves.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandsPage } from '../../reference/commands-page.ts';

it('docs/commands.md is as the commands are now: npm run commands:page', async () => {
  expect(readFileSync('docs/commands.md', 'utf8')).toBe(await commandsPage());
});
