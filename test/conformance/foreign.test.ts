// Documents of others, and changes of them, on which the official rules and ours once disagreed: mended, or decided with a reason.
import { expect, it } from 'vitest';
import { judge } from '#rules/validate.ts';
import { readTree } from '#ubl/read.ts';
import { conformanceFile, hasConformance } from '../support/conformance.ts';
import { type Case, casesOf } from './cases.ts';
import { EXPLAINED_FOREIGN } from './explained.ts';
import { foreign, nameOf } from './foreign.ts';

const cases = hasConformance ? [...casesOf(conformanceFile('foreign', 'index.jsonl'))] : [];
const inFolder = (folder: string): Case[] => cases.filter(({ row }) => String(row.file).includes(`/${folder}/`));

it.skipIf(!hasConformance)('every difference is explained, and nothing that is none', () => {
  const different = [...new Set(foreign().misses.map(({ id }) => nameOf(id)))];
  expect(different.toSorted()).toEqual(Object.keys(EXPLAINED_FOREIGN).toSorted());
});

it.skipIf(!hasConformance)('no defect is left', () => {
  expect(inFolder('defects').length).toBe(18);
  expect(inFolder('defects').filter(({ id }) => EXPLAINED_FOREIGN[nameOf(id)] !== undefined)).toEqual([]);
});

it.skipIf(!hasConformance)('where the official rules stop with an error a warning says so', async () => {
  const verdicts = await Promise.all(inFolder('aborted').map(({ bytes }) => judge(readTree(bytes), { day: '2026-06-01' })));
  const warned = verdicts.map(({ findings }) => findings.some(({ rule, severity }) => rule === 'official-abort' && severity === 'warning'));
  expect(warned).toEqual([true, true, true, true]);
});
