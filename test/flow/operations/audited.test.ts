// Which operations are written down, and that what an act has changed is read by as many queries whether it names one thing or a thousand.
import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import { audited } from '#operations/audited.ts';
import type { Ledgers } from '#operations/installation.ts';
import { withLedgers } from '#operations/ledgers.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { testSite } from '../../support/site.ts';

const site = testSite();
const ACCOUNT = '5567321707';

describe('a line of the audit trail', () => {
  const written = async (): Promise<string[]> =>
    (await site.run('audit list --json')).out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).what)
      .reverse();

  it('says who has exported an account', async () => {
    await site.run(`account add ${ACCOUNT} --name Acme`);
    expect((await site.run(`account export ${ACCOUNT} --to ${site.at('out')} --yes`)).status).toBe(0);
    expect(await written()).toEqual(['account add', 'account export']);
    expect((await site.run('audit list --limit 1')).out).toContain(site.at('out'));
  });

  it('is written of an erasure once, and of none that was refused early or declined', async () => {
    await site.run(`account add ${ACCOUNT} --name Acme`);
    expect((await site.run(`account erase ${ACCOUNT} --yes`)).err).toContain('disable it first');
    await site.run(`account disable ${ACCOUNT}`);
    expect((await site.run(`account erase ${ACCOUNT}`, 'another')).err).toContain('nothing was done');
    expect(await written()).toEqual(['account add', 'account disable']);
    expect((await site.run(`account erase ${ACCOUNT}`, ACCOUNT)).status).toBe(0);
    expect(await written()).toEqual(['account add', 'account disable', 'account erase']);
  });

  it('is written of a resubmission, and of none that only tells what would be sent', async () => {
    expect((await site.run('resubmit --since 36h --dry-run')).status).toBe(0);
    expect(await written()).toEqual([]);
    expect((await site.run('resubmit --since 36h')).status).toBe(0);
    expect(await written()).toEqual(['resubmit']);
  });
});

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
