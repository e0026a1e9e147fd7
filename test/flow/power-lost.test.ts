// What was acknowledged is there after a power loss that leaves nothing but what was synced: the small durable files, what is moved between
// folders, what an ERP removes, what is handed to an access point. The whole daemon's are in test/crash.
import { ALL_HOMES, HomesInHand } from '#gateway/model/homes.ts';
import '../support/faults/own-calls.ts';

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openFolderAccessPoint } from '#core/network/folder-access-point.ts';
import { openQueue } from '#engines/open.ts';
import { openArchive } from '#gateway/archive/archive.ts';
import { carry } from '#gateway/disk/carry.ts';
import { beginIncarnation } from '#gateway/disk/incarnation.ts';
import { ensureHome } from '#gateway/disk/paths.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { insertPublication, readOwed } from '#gateway/ledger/publications.ts';
import { Publisher } from '#gateway/publish/publish.ts';
import { loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { removePublished, renamePublished } from '#gateway/sftp/session/home-files.ts';
import { moveEpoch } from '#gateway/spool/epoch.ts';
import { systemRandom } from '#runtime/clock.ts';
import { ensureFolder, FolderSync, replaceDurable, writeDurable } from '#runtime/files/durable.ts';
import { openSeal } from '#runtime/seal.ts';
import { manualClock } from '../support/clock.ts';
import { silent } from '../support/core.ts';
import { invoice } from '../support/documents.ts';
import { type OwnCalls, recordCalls } from '../support/faults/own-calls.ts';
import { until } from '../support/until.ts';
import { scripted } from '../support/world/services.ts';
import { SESSION, startWorld } from '../support/world/world.ts';

let root: string;
let left: string;
let count = 0;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dropgate-power-'));
  left = mkdtempSync(join(tmpdir(), 'dropgate-left-'));
  onTestFinished(() => {
    for (const folder of [root, left]) rmSync(folder, { recursive: true });
  });
});

const path = (...names: string[]): string => join(root, ...names);
/** A folder with what the loss left. */
function leftOf(recorded: OwnCalls, at?: number): string {
  const target = join(left, String(++count));
  recorded.losePower(target, at);
  return target;
}
/** All files below, with what is in them. */
function filesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name).slice(folder.length + 1), readFileSync(join(parentPath, name), 'utf8')]),
  );
}

describe('a power loss, as it is made here', () => {
  it.each<[what: string, lost: boolean, work: () => Promise<void>]>([
    ['a file that nobody synced', true, async () => writeDurable(path('a'), Buffer.from('x'))],
    [
      'a file of which only the folder was synced',
      true,
      async () => {
        mkdirSync(path('sub'));
        await new FolderSync().sync(root);
      },
    ],
    ['a file that was', false, async () => writeDurable(path('a'), Buffer.from('x'), { folders: new FolderSync() })],
  ])('%s: lost %s', async (_, lost, work) => {
    using recorded = recordCalls(root);
    await work();
    expect(filesIn(leftOf(recorded))).toEqual(lost ? {} : { a: 'x' });
  });
});

describe('a small file', () => {
  it.each<[what: string, before: { readonly a?: string }]>([
    ['new', {}],
    ['replaced', { a: 'old' }],
  ])('that is %s is there whole when that was said, and until then as it was', async (_, before) => {
    if (before.a !== undefined) writeFileSync(path('a'), before.a);
    using recorded = recordCalls(root);
    const begun = recorded.calls.length;
    await replaceDurable(path('a'), Buffer.from('new'));
    expect(filesIn(leftOf(recorded))).toEqual({ a: 'new' });
    for (let at = begun; at <= recorded.calls.length; at++) {
      const { a } = filesIn(leftOf(recorded, at));
      expect([before.a, 'new'], `before call ${at}`).toContain(a);
    }
  });

  it('in new folders is as safe as their names', async () => {
    using recorded = recordCalls(root);
    await replaceDurable(join(ensureFolder(path('one', 'two', 'three')), 'a'), Buffer.from('new'));
    expect(filesIn(leftOf(recorded))).toEqual({ 'one/two/three/a': 'new' });
  });

  it.each<[what: string, work: () => Promise<unknown>]>([
    ['the key of the secrets', () => openSeal(path('keys', 'secret.key'), systemRandom)],
    ['host keys', () => loadHostKeys(path('keys'))],
    [
      'a document in the archive',
      () =>
        openArchive({ data: root, rules: () => ({ archive: 1 }), inHand: new HomesInHand(), clock: manualClock() }).keep(
          'acme-ab',
          'a.xml',
          Buffer.from('x'),
        ),
    ],
    [
      'the stamp of the spool',
      async () => {
        const ledger = await openGatewayLedger(mkdtempSync(join(left, 'ledger-')));
        await moveEpoch({ data: root, ledger, inHand: new HomesInHand(), random: systemRandom });
        await ledger.close();
      },
    ],
  ])('%s is the same after it', async (_, work) => {
    using recorded = recordCalls(root);
    await work();
    expect(Object.keys(filesIn(root)).length).toBeGreaterThan(0);
    expect(filesIn(leftOf(recorded))).toEqual(filesIn(root));
  });
});

const PARTS = { folders: new FolderSync(), inHand: new HomesInHand() };

describe('a file that is taken from another file system', () => {
  const bytes = '<Invoice/>';
  it('is in the spool when that was said, and has its old name no more', async () => {
    for (const folder of ['inbox', 'copies', 'spool']) mkdirSync(path(folder));
    writeFileSync(path('inbox', 'a.xml'), bytes);
    using recorded = recordCalls(root);
    const begun = recorded.calls.length;
    await carry(PARTS, {
      item: '01KAJ3V7Q8ABCDEFGHJKMNPQRS',
      name: 'a.xml',
      from: path('inbox', 'a.xml'),
      waitsIn: path('inbox'),
      copy: path('copies', 'a'),
      to: path('spool', 'a'),
      sha256: createHash('sha256').update(bytes).digest('hex'),
      isSame: () => true,
    });
    expect(filesIn(leftOf(recorded))).toEqual({ 'inbox/.01KAJ3V7Q8ABCDEFGHJKMNPQRS~a.xml': bytes, 'spool/a': bytes });
    for (let at = begun; at <= recorded.calls.length; at++) {
      const found = Object.entries(filesIn(leftOf(recorded, at)));
      expect(found.filter(([name, text]) => name.startsWith('inbox/') && text === bytes)).toHaveLength(1);
    }
  });
});

describe('what a gateway has answered for', () => {
  const HOME = 'acme-ab';
  it('is in its spool: what was dropped, and what waits for its real name', async () => {
    const world = await startWorld(scripted(() => ({ status: 503, body: 'later' })));
    using recorded = recordCalls(world.data);
    const item = await world.drop(HOME, 'a.xml', invoice());
    expect(filesIn(leftOf(recorded))).toMatchObject({ [`spool/${HOME}/${item}~-~a.xml`]: Buffer.from(invoice()).toString() });
    const { intake } = world.gateway();
    const place = { home: HOME, folder: 'inbox', name: 'b.xml.part', login: 'erp', session: SESSION, resume: false } as const;
    const { upload, path: receiving } = await intake.open(place);
    writeFileSync(receiving, Buffer.from('waits'));
    expect(await intake.commit(upload, { size: 5, sha256: null })).toMatchObject({ state: 'waiting' });
    expect(Object.values(filesIn(leftOf(recorded)))).toContain('waits');
  });

  it('is in its homes: what it does not count as owed any more', async () => {
    ensureHome(root, HOME);
    const ledger = await openGatewayLedger(root);
    const clock = manualClock();
    const incarnation = await beginIncarnation(root, systemRandom);
    const parts = {
      data: root,
      incarnation: incarnation.id,
      inHand: new HomesInHand(),
      ledger,
      folders: new FolderSync(),
      queue: openQueue(clock, silent),
      clock,
      random: systemRandom,
    };
    const publisher = new Publisher({ ...parts, log: silent });
    onTestFinished(async () => {
      await publisher.close();
      await ledger.close();
      incarnation[Symbol.dispose]();
    });
    using recorded = recordCalls(root);
    const about = { accountRegNo: HOME, home: HOME, folder: 'outbox', name: 'a.xml', subject: 'a', stage: 'x' } as const;
    await publisher.hand(about, Buffer.from('x'), async (rows, staged) => [await insertPublication(rows, { ...about, staged })]);
    // It is in one of both places from then on.
    expect(Object.values(filesIn(leftOf(recorded)))).toContain('x');
    await until('it is owed no more', async () => {
      clock.advance(1_000);
      return (await readOwed(ledger.read, ALL_HOMES)).length === 0;
    });
    expect(filesIn(leftOf(recorded))).toMatchObject({ [`homes/${HOME}/outbox/a.xml`]: 'x' });
  });
});

describe('what an ERP does with a file of its home', () => {
  const HOME = 'acme-ab';
  const SHELF = { home: HOME, folder: 'outbox' } as const;
  const room = () => ({ home: (home: string) => path('homes', home), folders: new FolderSync(), inHand: new HomesInHand() });
  beforeEach(() => {
    ensureHome(root, HOME);
    writeFileSync(path('homes', HOME, 'outbox', 'a.xml'), 'x');
  });

  it('once removed it does not return', async () => {
    using recorded = recordCalls(root);
    await removePublished(room(), SHELF, 'a.xml');
    expect(filesIn(leftOf(recorded))).toEqual({});
  });

  it('once renamed it has its new name, and only that', async () => {
    using recorded = recordCalls(root);
    await renamePublished(room(), SHELF, 'a.xml', 'b.xml', false);
    expect(filesIn(leftOf(recorded))).toEqual({ [`homes/${HOME}/outbox/b.xml`]: 'x' });
  });
});

describe('an envelope for an access point behind a folder', () => {
  const META = {
    instanceId: '7f0a6b7e-0000-4000-8000-000000000001',
    sender: '0088:1',
    receiver: '0088:2',
    documentType: { scheme: 's', value: 'v' },
    process: { scheme: 's', value: 'p' },
    country: 'SE',
  };
  const ENVELOPE = '<StandardBusinessDocument/>';
  const open = (folder: string, results: boolean) => openFolderAccessPoint({ clock: manualClock(), log: silent }, { folder, results });

  it('is there when it was handed over, and is handed over by who begins again after a loss on the way', async () => {
    const envelope = join('out', `${META.instanceId}.xml`);
    const ap = open(root, true);
    using recorded = recordCalls(root);
    const begun = recorded.calls.length;
    await ap.send(Buffer.from(ENVELOPE), META);
    expect(filesIn(leftOf(recorded))[envelope]).toBe(ENVELOPE);
    for (let at = begun; at <= recorded.calls.length; at++) {
      const folder = leftOf(recorded, at);
      const again = open(folder, false);
      const { state } = await again.status(META.instanceId);
      if (state !== 'unknown') expect(existsSync(join(folder, envelope)), `${state} before call ${at}`).toBe(true);
      await again.send(Buffer.from(ENVELOPE), META);
      expect(filesIn(folder)[envelope], `before call ${at}`).toBe(ENVELOPE);
    }
  });
});
