// Files that programs write into home/inbox: taken when they are complete, and not before.
import { linkSync, mkdirSync, renameSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeFolder } from '#gateway/disk/paths.ts';
import { invoice, invoiceOfSize } from '../../../support/documents.ts';
import type { ScriptedService } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

async function start(): Promise<{ service: ScriptedService; world: World; inbox: (name: string) => string }> {
  const world = await startWorld(scripted());
  const { service } = world;
  return { service, world, inbox: (name) => join(homeFolder(world.data, 'acme-ab'), 'inbox', name) };
}

const receipts = (world: World): string[] => world.files('acme-ab', 'receipts');

describe('a file in the inbox folder', () => {
  it('whose name is Latin-1 is taken under the name that was meant', async () => {
    const { world, inbox } = await start();
    const path = Buffer.concat([Buffer.from(`${inbox('')}/`), Buffer.from('M\xfcller.xml', 'latin1')]);
    writeFileSync(path, invoice());
    utimesSync(path, 0, 0);
    await world.inTime('the receipt', () =>
      receipts(world).some((name) => name.startsWith('Müller.xml.') && name.endsWith('.accepted.json')),
    );
    expect(world.files('acme-ab', 'inbox')).toEqual(['overwrite']);
  });

  it('is taken when it has settled, and gets its receipt', async () => {
    const { world, service, inbox } = await start();
    writeFileSync(inbox('invoice.xml'), invoice());
    await world.inTime('the receipt', () =>
      receipts(world).some((name) => name.startsWith('invoice.xml.') && name.endsWith('.accepted.json')),
    );
    expect(world.files('acme-ab', 'inbox')).toEqual(['overwrite']);
    expect(service.creates()).toHaveLength(1);
  });

  it('in inbox/overwrite replaces an earlier document', async () => {
    const { world, service, inbox } = await start();
    writeFileSync(inbox('overwrite/invoice.xml'), invoice());
    await world.inTime('the receipt', () => receipts(world).length === 1);
    expect(service.creates()[0]?.query.get('overwrite')).toBe('true');
  });

  it('that is still being written is left alone until it is whole', async () => {
    const { world, inbox } = await start();
    const whole = Buffer.from(invoice());
    writeFileSync(inbox('slow.xml'), whole.subarray(0, 500));
    world.clock.advance(60_000);
    await world.inTime('some looks', () => world.clock.now() > Date.parse('2026-11-21T10:03:00Z'));
    expect(receipts(world)).toEqual([]);
    writeFileSync(inbox('slow.xml'), whole);
    await world.inTime('the receipt', () => receipts(world).some((name) => name.endsWith('.accepted.json')));
  });

  it('that ends early for good is refused after ten minutes', async () => {
    const { world, inbox } = await start();
    writeFileSync(inbox('cut.xml'), Buffer.from(invoice()).subarray(0, 500));
    await world.inTime('the receipt', () => receipts(world).some((name) => name.startsWith('cut.xml.') && name.endsWith('.refused.json')));
    expect(world.clock.now()).toBeGreaterThanOrEqual(Date.parse('2026-11-21T10:10:00Z'));
  });

  it('with a syntax error is refused at once', async () => {
    const { world, inbox } = await start();
    writeFileSync(inbox('bad.xml'), Buffer.from(invoice()).toString().replace('</cbc:ID>', '</cbc:IDD>'));
    await world.inTime('the receipt', () => receipts(world).some((name) => name.endsWith('.refused.json')));
    expect(world.clock.now()).toBeLessThan(Date.parse('2026-11-21T10:05:00Z'));
  });

  it('of 25 MB is refused with a receipt that names the limit', async () => {
    const { world, inbox } = await start();
    writeFileSync(inbox('big.xml'), invoiceOfSize(25_000_000));
    await world.inTime('the receipt', () => receipts(world).length === 1);
    const receipt = await world.receipt('acme-ab', 'big.xml', 'refused');
    expect(receipt.message).toContain('20 MiB is the limit');
    await until('the original', () => world.files('acme-ab', 'refused').length === 1);
  });

  it('under a temporary name waits until it is renamed', async () => {
    const { world, inbox } = await start();
    writeFileSync(inbox('i.xml.tmp'), invoice());
    await world.inTime('a few rescans', () => world.clock.now() > Date.parse('2026-11-21T10:01:00Z'));
    expect(receipts(world)).toEqual([]);
    renameSync(inbox('i.xml.tmp'), inbox('i.xml'));
    await world.inTime('the receipt', () => receipts(world).length === 1);
  });

  it.each([
    ['a symbolic link', (to: string, inbox: string) => symlinkSync(to, inbox)],
    ['a hard link', (to: string, inbox: string) => linkSync(to, inbox)],
    ['a folder', (_: string, inbox: string) => mkdirSync(inbox)],
  ])('that is %s is never taken', async (_, make) => {
    const { world, service, inbox } = await start();
    const elsewhere = join(world.data, 'elsewhere.xml');
    writeFileSync(elsewhere, invoice());
    make(elsewhere, inbox('trap.xml'));
    writeFileSync(inbox('honest.xml'), invoice({ id: 'H-1' }));
    await world.inTime('the honest receipt', () => receipts(world).some((name) => name.startsWith('honest.xml.')));
    await world.inTime('more rescans', () => world.clock.now() > Date.parse('2026-11-21T10:02:00Z'));
    expect(service.creates()).toHaveLength(1);
  });

  it('that shrinks and grows under one name is taken once, with its last content', async () => {
    const { world, service, inbox } = await start();
    writeFileSync(inbox('i.xml'), invoice({ note: 'long '.repeat(100) }));
    world.clock.advance(1_000);
    truncateSync(inbox('i.xml'), 0);
    writeFileSync(inbox('i.xml'), invoice({ note: 'last' }));
    await world.inTime('the receipt', () => receipts(world).length === 1);
    expect(service.creates().map(({ body }) => body.includes('last'))).toEqual([true]);
  });
});

it('a burst of 100 files leaves none behind', async () => {
  const { world, service, inbox } = await start();
  for (let index = 0; index < 100; index++) writeFileSync(inbox(`${index}.xml`), invoice({ id: `B-${index}` }));
  await world.inTime('100 receipts', () => receipts(world).length === 100);
  expect(service.creates()).toHaveLength(100);
  expect(world.files('acme-ab', 'inbox')).toEqual(['overwrite']);
});
