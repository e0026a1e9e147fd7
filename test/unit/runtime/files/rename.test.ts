// A rename that was answered with an error: what of both names says that it was done.
import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { renameOurs, wasRenamed } from '#runtime/files/rename.ts';

/** Any error but that of two file systems. */
const FAILED = new Error('no answer');

let folder: string;
let from: string;
let to: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-rename-'));
  [from, to] = [join(folder, 'from'), join(folder, 'to')];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('was done when the file has its new name only', () => {
  writeFileSync(to, '');
  expect(wasRenamed(FAILED, from, to)).toBe(true);
  writeFileSync(from, '');
  expect(wasRenamed(FAILED, from, to)).toBe(false);
});

it('was not done when the file has neither name, or nothing can be known of it', () => {
  expect(wasRenamed(FAILED, from, to)).toBe(false);
  writeFileSync(to, '');
  expect(wasRenamed(FAILED, join(to, 'in a file'), to)).toBe(false);
});

it('was not done when another file has the new name', () => {
  writeFileSync(from, '');
  const before = lstatSync(from);
  writeFileSync(to, '');
  rmSync(from);
  expect(wasRenamed(FAILED, from, to, before)).toBe(false);
  expect(wasRenamed(FAILED, from, to, lstatSync(to))).toBe(true);
});

it('throws what the system says when it was not done', () => {
  expect(() => renameOurs(from, to)).toThrow('ENOENT');
  writeFileSync(from, '');
  renameOurs(from, to);
  expect(readdirSync(folder)).toEqual(['to']);
});
