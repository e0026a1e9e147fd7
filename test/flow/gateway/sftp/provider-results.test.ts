// Results where other providers put them, and markers, played by OpenSSH.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Layout, namesOf } from '#gateway/model/layout.ts';
import { HOME_FOLDERS, type HomeFolder } from '#gateway/model/rule-words.ts';
import { invoice } from '../../../support/documents.ts';
import { ACCOUNT, HOUR, passing } from '../../../support/polled.ts';
import { providerSite } from '../../../support/provider-site.ts';
import { have } from '../../../support/sftp-clients.ts';

interface ResultContract {
  readonly provider: string;
  readonly layout: Layout;
  readonly send: string;
  /** Where the results lie of a good file, of the same document again, and of a broken one; by its names, or our names in receipts/. */
  readonly good: RegExp;
  readonly again: RegExp;
  readonly broken: RegExp;
  /** Names in the inbox that nobody may give to a file, and one that looks alike. */
  readonly kept: readonly string[];
  readonly free: string;
}

const ITEM = '[0-9a-z]{8}';

const RESULTS: readonly ResultContract[] = [
  {
    provider: 'phoss-ap: success/NAME and success/NAME.json, error/NAME and error/NAME.json',
    layout: 'success-error-json',
    send: '/inbox',
    good: new RegExp(`^/success/good\\.${ITEM}\\.xml\\.json$`),
    again: new RegExp(`^/success/again\\.${ITEM}\\.xml\\.json$`),
    broken: new RegExp(`^/error/broken\\.${ITEM}\\.xml\\.json$`),
    kept: [],
    free: 'x.xml.json',
  },
  {
    provider: 'worldoftulo: NAME.result and NAME.invalid beside the drop',
    layout: 'result-invalid',
    send: '/inbox',
    good: /^\/inbox\/good\.xml\.result$/,
    again: /^\/inbox\/again\.xml\.result$/,
    broken: /^\/inbox\/broken\.xml\.invalid$/,
    kept: ['x.xml.result', 'x.invalid'],
    free: 'x.result.xml',
  },
  {
    provider: 'systempay: NAME_ERROR and NAME_DUPLICATE beside the drop',
    layout: 'error-duplicate',
    send: '/inbox',
    good: new RegExp(`^/receipts/good\\.xml\\.${ITEM}\\.accepted\\.json$`),
    again: /^\/inbox\/again\.xml_DUPLICATE$/,
    broken: /^\/inbox\/broken\.xml_ERROR$/,
    kept: ['x.xml_ERROR', 'x_DUPLICATE'],
    free: 'x_ERROR.xml',
  },
  {
    provider: 'Holodeck B2B: msg_out, x.accepted and x.rejected',
    layout: 'msg-out-in',
    send: '/msg_out',
    good: /^\/msg_out\/good\.accepted$/,
    again: /^\/msg_out\/again\.accepted$/,
    broken: /^\/msg_out\/broken\.rejected$/,
    kept: ['x.accepted', 'x.xml.rejected'],
    free: 'x.accepted.xml',
  },
];

const FOLDERS = ['/inbox', '/receipts', '/success', '/error', '/msg_out', '/accepted', '/refused'];

describe.runIf(have('sftp'))('results where a job looks for them', () => {
  it.each(RESULTS)('$provider', async ({ layout, send, good, again, broken, kept, free }) => {
    const { session, plain, failing, listed, read, world, erp } = await providerSite(layout, { hasPlain: true });
    const folders = FOLDERS.filter((folder) => namesOf(layout)[disk(folder)] === folder.slice(1));
    const seen = async (): Promise<string[]> =>
      (await Promise.all(folders.map(async (folder) => (await listed(folder)).map((name) => `${folder}/${name}`)))).flat();
    const result = async (of: RegExp, count: number): Promise<string> => {
      await passing(world, `${count} receipts`, () => world.files(ACCOUNT, 'receipts').length === count);
      const [found = '', ...others] = (await seen()).filter((path) => of.test(path));
      expect(others).toEqual([]);
      return found;
    };
    writeFileSync(join(erp, 'again.xml'), invoice({ id: 'GOOD' }));
    await session(`put good.xml ${send}/good.xml`);
    const results = [await result(good, 1)];
    await session(`put again.xml ${send}/again.xml`);
    results.push(await result(again, 2));
    await session(`put broken.xml ${send}/broken.xml`);
    results.push(await result(broken, 3));

    // A login without a layout sees the ordinary tree, with all of them among the receipts.
    const there = (await plain('ls -1 /receipts')).split('\n').filter((line) => line.startsWith('/receipts/'));
    expect(there).toHaveLength(3);
    expect(await plain('ls -1 /inbox /accepted /refused')).not.toMatch(/result|invalid|_ERROR|_DUPLICATE|\.json|rejected/);

    // Each can be fetched and removed, and is nobody's to write.
    const stages = [];
    for (const path of results) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      await session(`get ${path} fetched`, `ls -l ${path}`);
      stages.push(stageOf(read('fetched')));
      expect(await failing(`put good.xml ${path}`)).toMatch(/results of files|can be put into/);
      await session(`rm ${path}`);
      expect(await listed(path.slice(0, -name.length))).not.toContain(name);
    }
    expect(stages).toEqual(['accepted', 'duplicate', 'refused']);
    expect(world.files(ACCOUNT, 'receipts')).toEqual([]);

    for (const name of kept) {
      expect(await failing(`put good.xml ${send}/${name}`)).toContain(`'${name}' is a name for the results of files`);
      expect(await failing(`put good.xml ${send}/w.tmp`, `rename ${send}/w.tmp ${send}/${name}`)).toContain('results of files');
      await session(`rm ${send}/w.tmp`);
      // Whoever has no layout may give it to a file: that is hidden here.
      await plain(`put broken.xml /inbox/${name}`);
      expect(await listed(send)).not.toContain(name);
    }
    const before = world.files(ACCOUNT, 'receipts').length;
    await session(`put broken.xml ${send}/${free}`);
    await passing(world, 'its receipt', () => world.files(ACCOUNT, 'receipts').length > before);
  });

  it('of a name that is used again lie beside those that were there', async () => {
    const { session, listed, world } = await providerSite('result-invalid');
    for (const count of [1, 2]) {
      await session('put broken.xml /inbox/same.xml');
      await passing(world, `${count} receipts`, () => world.files(ACCOUNT, 'receipts').length === count);
    }
    const names = (await listed('/inbox')).filter((name) => name.endsWith('.invalid'));
    expect(names).toEqual([expect.stringMatching(/^[0-9A-Z]{26}_same\.xml\.invalid$/), 'same.xml.invalid']);
  });

  it('originals with endings of results stay in sight, and so do files that have none', async () => {
    const { session, shown, listed } = await providerSite('success-error-json');
    for (const name of ['a.json', 'a.xml.json', 'plain', 'a.xml.refused.json']) await session(`put broken.xml /inbox/${name}`);
    const refused = await shown('/error', 'refused', 4);
    const plain = refused.map((name) => name.replace(new RegExp(`\\.${ITEM}`), '.ITEM')).sort();
    expect(plain).toEqual(['a.ITEM.json', 'a.xml.ITEM.json', 'a.xml.refused.ITEM.json', 'plain.ITEM']);
    expect(await listed('/receipts')).toHaveLength(4);
    for (const name of refused) await session(`get /error/${name}`);
  });
});

describe.runIf(have('sftp'))('originals of duplicates', () => {
  const named = (name: string): unknown => expect.stringMatching(new RegExp(`^${name.replaceAll('.', '\\.').replace('ITEM', ITEM)}$`));

  it('lie in a folder of their own, beside accepted and refused ones; to others they lie in accepted', async () => {
    const { session, plain, failing, listed, shown, world, erp } = await providerSite('success-duplicate-error', { hasPlain: true });
    writeFileSync(join(erp, 'again.duplicate.xml'), invoice({ id: 'GOOD' }));
    await session('put good.xml /inbox/good.duplicate.xml');
    await shown('/success', 'accepted', 1);
    await session('put again.duplicate.xml /inbox/again.xml', 'put broken.xml /inbox/broken.xml');
    expect(await shown('/success', 'accepted', 2)).toEqual([named('good.duplicate.ITEM.xml')]);
    expect(await shown('/error', 'refused', 1)).toEqual([named('broken.ITEM.xml')]);
    const [original = '', ...others] = await listed('/duplicate');
    expect([original, others]).toEqual([named('again.ITEM.xml'), []]);
    expect(world.files(ACCOUNT, 'accepted')).toContainEqual(named('again.ITEM.duplicate.xml'));
    expect(await plain('ls -1 /accepted')).toContain('.duplicate.xml');

    // It is the same file through both doors: fetched, kept under its name, and removed.
    await session(`get /duplicate/${original} fetched`, `ls -l /duplicate/${original}`);
    expect(await failing(`rename /duplicate/${original} /duplicate/other.xml`)).toContain('keep their names');
    await session(`rm /duplicate/${original}`);
    expect(await listed('/duplicate')).toEqual([]);
    expect(world.files(ACCOUNT, 'accepted')).toEqual([named('good.duplicate.ITEM.xml')]);
  });

  it('have their results beside them, where originals have theirs', async () => {
    const { session, shown, listed, erp } = await providerSite({ like: 'success-error-json', duplicates: 'duplicate' });
    writeFileSync(join(erp, 'again.xml'), invoice({ id: 'GOOD' }));
    await session('put good.xml /inbox/good.xml');
    await shown('/success', 'accepted', 1);
    await session('put again.xml /inbox/again.xml');
    expect(await shown('/success', 'accepted', 2)).toEqual([named('good.ITEM.xml'), named('good.ITEM.xml.json')]);
    expect(await listed('/duplicate')).toEqual([named('again.ITEM.xml'), named('again.ITEM.xml.json')]);
    expect(await listed('/receipts')).toEqual([]);
  });
});

function disk(folder: string): HomeFolder {
  const named = { '/success': 'accepted', '/error': 'refused', '/msg_out': 'inbox' } as const;
  return HOME_FOLDERS.find((each) => folder === `/${each}`) ?? named[folder as keyof typeof named];
}

function stageOf(receipt: string): unknown {
  const parsed: unknown = JSON.parse(receipt);
  return typeof parsed === 'object' && parsed !== null && 'stage' in parsed ? parsed.stage : undefined;
}

describe.runIf(have('sftp'))('Holodeck B2B: payload first, then its marker', () => {
  it('a marker is acknowledged, and nothing becomes of it', async () => {
    const { session, failing, listed, shown, erp, world } = await providerSite('msg-out-in');
    writeFileSync(join(erp, 'x.mmd'), '<MessageMetaData/>');
    await session('put good.xml /msg_out/good.xml', 'put x.mmd /msg_out/good.mmd', 'ls -l /msg_out/good.mmd');
    await session('put x.mmd /msg_out/other.mmd.tmp', 'rename /msg_out/other.mmd.tmp /msg_out/other.mmd', 'rm /msg_out/other.mmd');
    expect(await failing('rename /msg_out/good.xml /msg_out/taken.mmd')).toContain('can become a marker');
    await shown('/msg_out', 'receipts', 1);
    expect((await listed('/msg_out')).filter((name) => name.includes('.mmd'))).toEqual([]);
    await world.pass(HOUR);
    expect(world.files(ACCOUNT, 'receipts')).toEqual(['good.accepted']);
    expect(world.files(ACCOUNT, 'refused')).toEqual([]);
  });
});
