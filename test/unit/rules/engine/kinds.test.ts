// Which rules a program loads that judges documents: those of the kinds that it meets.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { documentOf, invoice } from '../../../support/documents.ts';
import { SOURCES } from '../../../support/program.ts';
import { run } from '../../../support/sftp-clients.ts';
import { invoiceOf } from '../pint/examples.ts';

const HOOK = join(import.meta.dirname, '../../../support/loaded-modules.mjs');
const KINDS = ['billing', 'en16931', 'orders', 'pint'];

it.each<[what: string, document: Uint8Array, kinds: readonly string[]]>([
  ['an invoice', invoice(), ['billing', 'en16931']],
  ['an order', documentOf('Order'), ['orders']],
  // PINT EU takes the European rules over.
  ['an invoice of PINT', invoiceOf('pint-sg'), ['billing', 'en16931', 'pint']],
])('%s: its own', async (_, document, kinds) => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-kinds-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, loaded] = [join(folder, 'document.xml'), join(folder, 'loaded')];
  writeFileSync(file, document);
  const judged = await run(process.execPath, ['--import', HOOK, SOURCES, 'validate', file], undefined, { LOADED: loaded });
  expect(judged).toMatchObject({ status: 0 });
  const modules = readFileSync(loaded, 'utf8');
  expect(KINDS.filter((kind) => new RegExp(`/rules/${kind}/.*rule-sets?\\.ts$`, 'm').test(modules))).toEqual(kinds);
});
