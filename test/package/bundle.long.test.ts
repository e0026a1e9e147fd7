// The bundled form: short, and of characters that take one byte each in memory.
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { VERSION } from '#runtime/version.ts';
import { run } from '../support/sftp-clients.ts';
import { bundle, ROOT } from './bundle.ts';
import { copyright } from './copyright.ts';
import { json, packagesInside } from './inside.ts';
import { billOfMaterials } from './sbom.ts';

const BYTES_MAX = 4.5 * 2 ** 20;
/** Only a process that has a `queue` loads them. */
const OF_A_QUEUE = /\/node_modules\/(?:bullmq|ioredis|@ioredis)\//;

it('starts, names all that is in it, and is Latin-1 without what only readers need', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const program = join(folder, 'program');
  const modulesOf = await bundle(program);
  expect(await run(process.execPath, [join(program, 'main.mjs'), '--version'])).toMatchObject({ status: 0, out: `${VERSION}\n` });
  const code = readdirSync(program).filter((name) => name.endsWith('.mjs'));
  const texts = new Map(code.map((name) => [name, readFileSync(join(program, name), 'utf8')]));
  expect(code.filter((name) => /[\u0100-\uffff]/.test(texts.get(name) ?? ''))).toEqual([]);
  const always = code.filter((name) => !modulesOf.get(name)?.some((module) => OF_A_QUEUE.test(module)));
  const inside = packagesInside([...modulesOf.values()].flat());
  const told = [copyright(inside), billOfMaterials(inside, VERSION, 0)];
  const folders = packageFoldersIn(program);
  expect(folders.size).toBeGreaterThan(50);
  for (const folder of folders) {
    const { name, version } = json(join(ROOT, folder, 'package.json'));
    for (const text of told) expect(text).toContain(`${name}@${version}`);
  }
  expect(always.reduce((sum, name) => sum + (texts.get(name)?.length ?? 0), 0)).toBeLessThan(BYTES_MAX);
});

/** Of the packages whose code is in it, as its source maps say. */
function packageFoldersIn(program: string): Set<string> {
  const maps = readdirSync(program).filter((name) => name.endsWith('.mjs.map'));
  const sources = maps.flatMap((name): string[] => JSON.parse(readFileSync(join(program, name), 'utf8')).sources);
  return new Set(sources.flatMap((source) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? []));
}
