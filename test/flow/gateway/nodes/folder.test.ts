// The data folder that nodes share: one that has mounted something else, or nothing, must not take the files that it misses for lost.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { changeFolder } from '#gateway/nodes/folder.ts';
import { systemRandom } from '#runtime/clock.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { obliging } from '../../../support/scripted-service.ts';
import { type NamedNodes, openNamedNodes } from '../../../support/world/named-nodes.ts';

describe.runIf(hasPostgres)('A node with an empty data folder', () => {
  let nodes: NamedNodes;
  let mounted: string;

  beforeEach(async () => {
    nodes = await openNamedNodes(['acme'], obliging);
    mounted = mkdtempSync(join(tmpdir(), 'dropgate-unmounted-'));
    onTestFinished(() => rmSync(mounted, { recursive: true, force: true }));
  });

  it('is refused though none lives, and those with the folder of all go on', async () => {
    await (await nodes.start('one')).stop();
    const what = new RegExp(`nodes of this database worked on another data folder than ${mounted}.*mount it.*recover --restored`);
    await expect(nodes.start('two', {}, { mounted })).rejects.toMatchObject({ code: 'usage', message: expect.stringMatching(what) });
    // Once it has an id, too.
    await expect(nodes.start('two', {}, { mounted })).rejects.toMatchObject({ code: 'usage' });
    const one = await nodes.start('one');
    expect(one.facts().map(({ event }) => event)).not.toContain('recover.restored');
  });

  it('works on it where that was said to be the one of all, which the other is no longer', async () => {
    await (await nodes.start('one')).stop();
    await changeFolder(mounted, nodes.ledger, systemRandom);
    await (await nodes.start('two', {}, { mounted })).stop();
    await expect(nodes.start('one')).rejects.toMatchObject({ code: 'usage' });
  });

  it('may be the first of all', async () => {
    await changeFolder(nodes.data, nodes.ledger, systemRandom);
    await nodes.start('one', {}, { mounted });
  });
});
