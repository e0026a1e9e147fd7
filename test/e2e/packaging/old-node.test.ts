// The entry under a Node that is too old: one that knows nothing of TypeScript, and one that does.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { run } from '../../support/sftp-clients.ts';

const folder = mkdtempSync(join(tmpdir(), 'dropgate-old-node-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['20.20.2', ['--no-strip-types']],
  ['24.11.1', []],
])('Node %s is told to be too old in one sentence', async (version, options) => {
  // The pinned Node says that it is an older one.
  const disguise = join(folder, `${version}.cjs`);
  const values = [`version: { value: 'v${version}' }`, `versions: { value: { ...process.versions, node: '${version}' } }`];
  writeFileSync(disguise, `Object.defineProperties(process, { ${values.join(', ')} });`);
  const ran = await run(process.execPath, [...options, '--require', disguise, resolve('src/main.ts'), 'check-config']);
  const err = `dropgate: this is Node v${version}, and Dropgate needs 24.12 or later: npm start and npx dropgate bring their own\n`;
  expect(ran).toEqual({ status: 78, out: '', err });
});
