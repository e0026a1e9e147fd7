// The bundled form: short, and of characters that take one byte each in memory.
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { VERSION } from '#runtime/version.ts';
import { run } from '../support/sftp-clients.ts';
import { bundle, ROOT } from './bundle.ts';

const BYTES_MAX = 4.5 * 2 ** 20;

it('starts, and is Latin-1 without what only readers need', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const program = join(folder, 'program');
  await bundle(program);
  expect(await run(process.execPath, [join(program, 'main.mjs'), '--version'])).toMatchObject({ status: 0, out: `${VERSION}\n` });
  const code = readdirSync(program).filter((name) => name.endsWith('.mjs'));
  const texts = code.map((name) => readFileSync(join(program, name), 'utf8'));
  expect(code.filter((_, at) => /[\u0100-\uffff]/.test(texts[at] ?? ''))).toEqual([]);
  expect(texts.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(BYTES_MAX);
});
