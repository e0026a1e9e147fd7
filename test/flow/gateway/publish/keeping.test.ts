// What becomes of homes in the long run, and of accounts that are disabled for a while.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { setServed } from '#gateway/operate/account-rules.ts';
import { calm } from '../../../support/calm.ts';
import { invoice } from '../../../support/documents.ts';
import type { ScriptedService } from '../../../support/scripted-service.ts';
import { command } from '../../../support/terminal.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const DAY_MS = 86_400_000;

async function start(): Promise<{ service: ScriptedService; world: World }> {
  const world = await startWorld(scripted());
  const { service } = world;
  return { service, world };
}

/** Changes the ledger as a command does, in another process. */
async function serve(world: World, isServed: boolean): Promise<void> {
  await world.administer((on) => setServed(on, 'acme-ab', isServed));
}

it('accepted originals go after 30 days, receipts and refused ones after 90', async () => {
  const { world } = await start();
  await world.drop('acme-ab', 'good.xml', invoice());
  await world.drop('acme-ab', 'bad.xml', 'no document');
  const count = (folder: string): number => world.files('acme-ab', folder).length;
  await until('both to end', () => count('accepted') === 1 && count('refused') === 1 && count('receipts') === 2);
  // The files are as old as the machine's clock says, and the gateway's clock stands elsewhere.
  const ahead = Date.now() - world.clock.now();
  world.clock.advance(ahead + 29 * DAY_MS);
  await world.inTime('an hour of tidying', () => world.clock.now() > Date.now() + 29.9 * DAY_MS, 3_600_000);
  expect([count('accepted'), count('refused'), count('receipts')]).toEqual([1, 1, 2]);
  await world.inTime('the accepted one to go', () => count('accepted') === 0, 3_600_000);
  const after = async (days: number): Promise<number[]> => {
    world.clock.advance(days * DAY_MS);
    for (let hours = 0; hours < 2; hours++) {
      world.clock.advance(3_600_000);
      await calm();
    }
    return [count('refused'), count('receipts')];
  };
  expect(await after(1)).toEqual([1, 2]);
  expect(await after(57)).toEqual([1, 2]);
  world.clock.advance(2 * DAY_MS);
  await world.inTime('the rest to go', () => count('refused') + count('receipts') === 0, 3_600_000);
  await world.stop();
  const config = join(world.data, 'dropgate.yaml');
  writeFileSync(config, `data: ${world.data}\n`);
  const told = async (name: string) => (await command(['find', name, '--config', config])).out.match(/expired.*/g);
  expect(await told('good.xml')).toEqual([
    expect.stringMatching(/\taccepted\/good\.\w{8}\.xml was removed by keepAccepted$/),
    expect.stringMatching(/\treceipts\/good\.xml\.\w{8}\.accepted\.json was removed by keepReceipts$/),
  ]);
  expect(await told('bad.xml')).toEqual(
    expect.arrayContaining([expect.stringMatching(/\trefused\/bad\.\w{8}\.xml was removed by keepReceipts$/)]),
  );
});

it('what an account dropped waits while it is disabled, and goes when it is back', async () => {
  const { world, service } = await start();
  await serve(world, false);
  await world.inTime('the change to be noticed', () => world.logged('accounts.changed') > 0);
  await world.drop('acme-ab', 'i.xml', invoice());
  world.clock.advance(5_000);
  expect(service.creates()).toHaveLength(0);
  await serve(world, true);
  await world.inTime('the create', () => service.creates().length === 1, 10_000);
  await world.receipt('acme-ab', 'i.xml', 'accepted');
});

it('documents of an account that is added while the gateway runs are polled, and its folders made', async () => {
  const { world, service } = await start();
  await world.addAccount('new-ab', 'key-of-new');
  await world.inTime('its first list', () => service.seen.some(({ path }) => path.includes('/new-ab/')));
  await world.drop('new-ab', 'i.xml', invoice());
  await world.receipt('new-ab', 'i.xml', 'accepted');
});
