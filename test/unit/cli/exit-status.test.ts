// Exit statuses are the numbers of sysexits.h, and docs/operations.md tells each.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EXIT_STATUS } from '#cli/exit-status.ts';

it('every status is one of sysexits.h', () => {
  for (const status of Object.values(EXIT_STATUS)) expect(status >= 64 && status <= 78).toBe(true);
});

it('docs/operations.md has a row for every status, with the error codes that it stands for', () => {
  const rows = readFileSync('docs/operations.md', 'utf8').matchAll(/^\| (\d+) \| .* \| ([a-z, -]+) \|$/gm);
  const told = [...rows].flatMap(([, status, codes = '']) => codes.split(', ').map((code) => [code, Number(status)]));
  expect(Object.fromEntries(told)).toEqual(EXIT_STATUS);
});
