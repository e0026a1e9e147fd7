// What an act has changed is read by as many queries whether it names one thing or a thousand.
import type { KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import { audited } from '#operations/audited.ts';
import type { Ledgers } from '#operations/installation.ts';
import { withLedgers } from '#operations/ledgers.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { testSite } from '../../support/site.ts';

const site = testSite();

it('an apply of a thousand accounts asks the ledgers as often as that of one', async () => {
  await site.run('account add 5567321707 --name Acme --participant 0007:5567321707 --login acme');
  const { config } = loadConfig(site.config, undefined);
  const counts = await withLedgers(config, async (ledgers, seal) => {
    const queriesFor = async (names: readonly string[]): Promise<number> => {
      let count = 0;
      const on = { ...counting(ledgers, () => count++), config, seal, caller: 'somebody' };
      await audited(on, 'apply', { names }, async () => undefined);
      return count;
    };
    const many = Array.from({ length: 1_000 }, (_, at) => String(5_567_321_707 + at));
    return [await queriesFor(many.slice(0, 1)), await queriesFor(many)];
  });
  expect(counts[0]).toBeGreaterThan(0);
  expect(counts[1]).toBe(counts[0]);
});

function counting({ core, gateway }: Ledgers, count: () => void): Ledgers {
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      count();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return {
    core: core && { ...core, ledger: Object.create(core.ledger, { read: { value: core.ledger.read.withPlugin(plugin) } }) },
    gateway: gateway && { ...gateway, ledger: Object.create(gateway.ledger, { read: { value: gateway.ledger.read.withPlugin(plugin) } }) },
  };
}
