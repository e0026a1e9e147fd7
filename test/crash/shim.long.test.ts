// What the fault shim sees of a program: each way in which Node changes a file, so that no suite leaves one out unawares.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readJournal } from '../support/faults/journal.ts';
import { type Faults, openFaults, type Rule, slowNames } from '../support/faults/shim.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-shim-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program in the folder; what it says. */
function ran(program: string, { env }: Faults): string {
  const given = `const fs = require('node:fs'); ${program}`;
  return execFileSync(process.execPath, ['-e', given], { cwd: folder, env: { ...process.env, ...env }, encoding: 'utf8' });
}

it.each([
  ['a file that is written', "fs.writeFileSync('a', 'x')", ['cut', 'write', 'close']],
  ['one that is made longer', "fs.appendFileSync('a', 'x')", ['create', 'write', 'close']],
  ['one that is cut', "const file = fs.openSync('a', 'w+'); fs.ftruncateSync(file, 10)", ['cut', 'truncate']],
  ['one that is synced', "const file = fs.openSync('a', 'w'); fs.fsyncSync(file)", ['cut', 'sync-begin', 'sync']],
  ['names', "fs.mkdirSync('b'); fs.renameSync('b', 'c'); fs.rmdirSync('c')", ['mkdir', 'rename', 'rmdir']],
  [
    'a copy',
    "fs.writeFileSync('a', 'x'); fs.copyFileSync('a', 'b')",
    ['cut', 'write', 'close', 'open', 'create', 'truncate', 'write', 'close', 'close'],
  ],
])('%s', (_what, program, kinds) => {
  using faults = openFaults({ root: folder, journal: true });
  ran(program, faults);
  expect(readJournal(faults.journal()).map(({ kind }) => kind)).toEqual(kinds);
});

it.each<[string, Rule, string]>([
  ['a close', { action: 'fail', kinds: ['close'], failure: 'EIO' }, 'EIO'],
  ['a write', { action: 'fail', kinds: ['write'], failure: 'ENOSPC' }, 'ENOSPC'],
  ['the second one only', { action: 'fail', kinds: ['write'], failure: 'ENOSPC', from: 2 }, ''],
])('%s fails', (_what, rule, code) => {
  using faults = openFaults({ root: folder, rules: [rule] });
  expect(ran("try { fs.writeFileSync('a', 'x') } catch (error) { process.stdout.write(error.code) }", faults)).toBe(code);
});

it.each(['ENOENT', 'ESTALE', 'EIO'] as const)('a rename is done, and answered with %s', (failure) => {
  using faults = openFaults({ root: folder, journal: true, rules: [{ action: 'fail-after', kinds: ['rename'], failure }] });
  const told = ran(
    "fs.writeFileSync('a', ''); try { fs.renameSync('a', 'b') } catch ({ errno }) { process.stdout.write(String(errno)) }",
    faults,
  );
  // By its number: Node has no name for ESTALE.
  expect(told).toBe(String(-constants.errno[failure]));
  expect(readdirSync(folder)).toEqual(['b']);
  expect(readJournal(faults.journal()).map(({ kind }) => kind)).toEqual(['cut', 'close', 'rename']);
});

it('what is slow to be there comes behind what was asked for after it', () => {
  using faults = openFaults({ root: folder, journal: true, rules: [slowNames(200)] });
  ran("fs.open('a', 'a', () => undefined); fs.mkdirSync('b')", faults);
  expect(readJournal(faults.journal()).map(({ kind }) => kind)).toEqual(['mkdir', 'create']);
});
