// A node takes up many homes together; one that cannot be taken up holds up none of the others, and is taken when it can be.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { spoolName } from '#gateway/disk/spool-files.ts';
import type { startGateway } from '#gateway/gateway.ts';
import { readHistory, searchItems } from '#gateway/ledger/searches.ts';
import { putPartner } from '#gateway/operate/partners.ts';
import { calm } from '../../../support/calm.ts';
import { invoice } from '../../../support/documents.ts';
import { listLate } from '../../../support/late-listings.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { obliging } from '../../../support/scripted-service.ts';
import { uploadInvoice } from '../../../support/sftp-clients.ts';
import { defectiveTakeUp } from '../../../support/stand-in/defective.ts';
import { until } from '../../../support/until.ts';
import { uploadInvoice as uploadInto } from '../../../support/uploads.ts';
import { homesOf } from '../../../support/world/homes.ts';
import { openNamedNodes } from '../../../support/world/named-nodes.ts';
import { startNodes } from '../../../support/world/nodes.ts';

const ITEM = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const LOOK_MS = 2_000;

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

  it('adopts what a node that has gone was taking for a home of this one', async () => {
    const nodes = await openNamedNodes(['acme'], obliging);
    const owner = await nodes.start('one');
    const taking = await nodes.start('two');
    // Until its lease has passed it may yet write the row.
    owner.clock.advance(LOOK_MS);
    await calm();
    mkdirSync(join(nodes.data, 'spool', 'acme'), { recursive: true });
    writeFileSync(join(nodes.data, 'spool', 'acme', spoolName({ item: ITEM, mode: 'send', name: 'a.xml' })), invoice());
    await taking.stop();
    await until('it to be adopted', () => {
      owner.clock.advance(LOOK_MS);
      return owner.facts().some(({ event }) => event === 'recover.adopted');
    });
    await until('it to be sent', () => nodes.service.creates().length === 1);
  });

  it('takes homes up though a folder cannot be read that it looks into for one that has gone, and looks again', async () => {
    const nodes = await openNamedNodes(['acme', 'bad'], obliging);
    const owner = await nodes.start('one');
    const taking = await nodes.start('two');
    owner.clock.advance(LOOK_MS);
    await calm();
    const [spool, bad] = [join(nodes.data, 'spool', 'acme'), join(nodes.data, 'spool', 'bad')];
    mkdirSync(spool, { recursive: true });
    writeFileSync(join(spool, spoolName({ item: ITEM, mode: 'send', name: 'a.xml' })), invoice());
    rmSync(bad, { recursive: true, force: true });
    writeFileSync(bad, 'no folder');
    await taking.stop();
    await nodes.add('new');
    await until('the new one to be taken up', () => {
      owner.clock.advance(LOOK_MS);
      return owner.facts().some(({ event, home }) => event === 'home.taken-up' && home === 'new');
    });
    await until('it to be told', () => owner.facts().some(({ event }) => event === 'node.homes-not-looked-at'));
    rmSync(bad);
    await until('it to be adopted', () => {
      owner.clock.advance(LOOK_MS);
      return owner.facts().some(({ event }) => event === 'recover.adopted');
    });
  });

  it.each(['before it starts', 'while it runs'])(
    'takes up the home of a partner that has no children yet, and that was added %s',
    async (when) => {
      const nodes = await openNamedNodes([], obliging);
      const add = (): Promise<void> =>
        putPartner(nodes.administration, { partnerRegNo: 'firm', serviceKey: 'key-firm', consolidated: true });
      if (when === 'before it starts') await add();
      const one = await nodes.start('one');
      if (when === 'while it runs') await add();
      await uploadInto(one.gateway.intake, 'firm', 'F-1');
      await until('the file to be refused', () => {
        one.clock.advance(LOOK_MS);
        return homesOf(nodes.data).stages('firm').includes('refused');
      });
    },
  );

  it('looks for a file by its name where the listing of the spool does not have it yet', async () => {
    const nodes = await startNodes();
    await nodes.two.gateway.giveUp('seller');
    await uploadInvoice({ ...nodes.one.door, login: 'erp' }, 'F-1');
    {
      using _late = listLate((name) => name.endsWith('~F-1.xml'));
      await nodes.two.gateway.takeUp('seller');
    }
    await nodes.receipt('seller', 'F-1.xml', 'accepted');
  });

  it('leaves alone what another sends for homes of its own', async () => {
    const { before, after } = await outcomesMeanwhile();
    expect(before).toEqual([null]);
    expect(after).toEqual(['accepted']);
  });

  it('a seeded defect is found: the leases of all homes are void', async () => {
    const from = '(rows) => voidLeases(rows, group)';
    const { before } = await outcomesMeanwhile(
      await defectiveTakeUp({ file: 'spool/recover.ts', from, to: '(rows) => voidLeases(rows, ALL_HOMES)' }),
    );
    expect(before).not.toEqual([null]);
  });
});

/** Of the attempt to send an item of another node, after this one has taken a home up, and after the answer has come. */
async function outcomesMeanwhile(begin?: typeof startGateway) {
  const answered = Promise.withResolvers<void>();
  const nodes = await startNodes({}, begin);
  nodes.service.script = async (seen) => {
    if (seen.method === 'POST') await answered.promise;
    return obliging(seen);
  };
  const { one, two, ledger } = nodes;
  await uploadInvoice({ ...one.door, login: 'other' }, 'F-1');
  await until('it to be under way', () => nodes.service.creates().length === 1);
  await two.gateway.giveUp('seller');
  await two.gateway.takeUp('seller');
  const outcomes = async () => {
    const [item] = await searchItems(ledger.read, { limit: 1 });
    return item && (await readHistory(ledger.read, item)).attempts.map(({ outcome }) => outcome);
  };
  const before = await outcomes();
  answered.resolve();
  await nodes.receipt('acme', 'F-1.xml', 'accepted');
  return { before, after: await outcomes() };
}
