// A node may have more homes than a statement takes apart.
import { describe, it } from 'vitest';
import { LONG_MS } from '../../../support/patience.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { obliging } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { openNamedNodes } from '../../../support/world/named-nodes.ts';

/** More than one statement has places for, where each took one of its own. */
const MANY = 1_700;

describe.runIf(hasPostgres)('A node', () => {
  it('has many homes in hand, and another takes them all up', { timeout: LONG_MS }, async () => {
    const homes = Array.from({ length: MANY }, (_, at) => `home${at}`);
    const nodes = await openNamedNodes(homes, obliging);
    const one = await nodes.start('one');
    const two = await nodes.start('two');
    await one.stop();
    await until('all to be taken up', () => {
      two.clock.advance(1_000);
      return two.facts().filter(({ event }) => event === 'home.taken-up').length === MANY;
    });
  });
});
