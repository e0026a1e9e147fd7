// How many scenarios die at each of their durable calls is told in docs/, and is what there are.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SCENARIOS } from '../crash/scenarios.ts';

it.each(['docs/reliability.md', 'docs/developer.md'])('%s tells as many scenarios of crash points as there are', (file) => {
  const row = readFileSync(file, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('|') && line.includes('`crash-points`') && line.includes('scenarios'));
  expect(row).toContain(` ${SCENARIOS.length} scenarios`);
});
