// A home that is a mount of its own: what is published goes there, no link in it leads the daemon out, and while it is not mounted what is owed stays owed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ensureHome, homeFolder } from '#gateway/disk/paths.ts';
import { invoice } from '../support/documents.ts';
import { canMount, mountSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { ACCOUNT, type HomeStage, KEY, SECRET, startHomeStage } from './home-stage.ts';

const MINUTE_MS = 60_000;

/** A file system of its own, and one of the same disk, of which only a rename tells. */
const MOUNTS: Readonly<Record<string, (home: string) => void>> = {
  'a file system of its own': (home) => void mountSmallDisk(2 ** 24, home),
  'a folder of the same disk': (home) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'dropgate-bound-'));
    onTestFinished(() => rmSync(elsewhere, { recursive: true }));
    execFileSync('mount', ['--bind', elsewhere, home]);
  },
};

describe.skipIf(!canMount()).each(Object.entries(MOUNTS))('a home on %s', (_, mount) => {
  async function mounted(): Promise<HomeStage> {
    const stage = await startHomeStage();
    const home = homeFolder(stage.world.data, ACCOUNT);
    await stage.world.stop();
    mount(home);
    onTestFinished(() => void execFileSync('umount', ['--lazy', home]));
    ensureHome(stage.world.data, ACCOUNT);
    await stage.world.restart();
    return stage;
  }

  it('gets its receipts, originals and documents, and follows no link', async () => {
    const { world, service, lead, mend, inVault, pass } = await mounted();
    for (const id of ['one', 'two']) {
      await world.drop(ACCOUNT, `${id}.xml`, invoice({ id }));
      await until('receipt and original', () =>
        ['receipts', 'accepted'].every((folder) => world.files(ACCOUNT, folder).some((name) => name.startsWith(id))),
      );
    }
    for (const folder of ['receipts', 'outbox', '.staged']) {
      lead(folder);
      await world.drop(ACCOUNT, `via-${folder}.xml`, invoice({ id: `via-${folder}` }));
      service.arrive(ACCOUNT, Buffer.from(invoice({ id: `R-${folder}` })));
      await pass(11 * MINUTE_MS);
      expect(inVault()).toEqual({ [KEY]: SECRET });
      mend(folder);
    }
    await pass(11 * MINUTE_MS);
    expect(world.files(ACCOUNT, 'receipts').filter((name) => name.includes('.accepted.'))).toHaveLength(5);
    expect(readdirSync(join(homeFolder(world.data, ACCOUNT), '.staged'))).toEqual([]);
  });

  it('loses nothing that was staged in it while it is not mounted, over a start', async () => {
    const { world, inHome, pass, lead, mend } = await mounted();
    const home = homeFolder(world.data, ACCOUNT);
    await world.drop(ACCOUNT, 'one.xml', invoice({ id: 'one' }));
    await until('it', () => world.files(ACCOUNT, 'receipts').length === 1);
    lead('receipts');
    await world.drop(ACCOUNT, 'two.xml', invoice({ id: 'two' }));
    await until('its original', () => world.files(ACCOUNT, 'accepted').length === 2);
    expect(readdirSync(inHome('.staged'))).not.toEqual([]);
    mend('receipts');
    const aside = mkdtempSync(join(tmpdir(), 'dropgate-aside-'));
    onTestFinished(() => rmSync(aside, { recursive: true }));
    await world.stop();
    execFileSync('mount', ['--bind', home, aside]);
    execFileSync('umount', [home]);
    await world.restart();
    await pass(2 * MINUTE_MS);
    await world.stop();
    execFileSync('mount', ['--bind', aside, home]);
    execFileSync('umount', [aside]);
    await world.restart();
    await pass(2 * MINUTE_MS);
    expect(world.files(ACCOUNT, 'receipts')).toHaveLength(2);
  });
});
