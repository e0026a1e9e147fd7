// A node takes up many homes together; one that cannot be taken up holds up none of the others, and is taken when it can be.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPostgres } from '../../../support/postgres.ts';
import { obliging } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { openNamedNodes } from '../../../support/world/named-nodes.ts';

describe.runIf(hasPostgres)('A node', () => {
  it('takes up the homes of one that has left, but for one that cannot be read, and that one when it can', async () => {
    const nodes = await openNamedNodes(['good', 'bad', 'better'], obliging);
    const one = await nodes.start('one');
    const two = await nodes.start('two');
    const spool = join(nodes.data, 'spool', 'bad');
    rmSync(spool, { recursive: true });
    writeFileSync(spool, 'no folder');
    await one.stop();
    const takenUp = () =>
      two
        .facts()
        .filter(({ event }) => event === 'home.taken-up')
        .map(({ home }) => home);
    await until('the others to be taken up', () => {
      two.clock.advance(1_000);
      return takenUp().length === 2;
    });
    expect(takenUp().sort()).toEqual(['better', 'good']);
    expect(two.facts().find(({ event }) => event === 'home.not-moved')?.home).toBe('bad');
    rmSync(spool);
    mkdirSync(spool);
    await until('it to be taken up', () => {
      two.clock.advance(1_000);
      return takenUp().includes('bad');
    });
  });
});
