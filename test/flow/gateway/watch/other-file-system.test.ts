// An inbox on another file system than the spool: files are copied, and whatever step a crash comes after, each is sent once.
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itemIds } from '#domain/id.ts';
import { carry } from '#gateway/disk/carry.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import { copyPath, spoolName } from '#gateway/disk/spool-files.ts';
import { HomesInHand } from '#gateway/model/homes.ts';
import { systemRandom } from '#runtime/clock.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import { invoice } from '../../../support/documents.ts';
import { MEMORY } from '../../../support/memory.ts';
import { needed } from '../../../support/needed.ts';
import { obliging, type ScriptedService } from '../../../support/scripted-service.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

/** Where there is another file system than that of temporary files. */
const elsewhere = [MEMORY, '/var/tmp'].find((folder) => existsSync(folder) && statSync(folder).dev !== statSync(tmpdir()).dev);
const isElsewhere = needed('a second file system', elsewhere !== undefined, 'mount one at /dev/shm');
const WHOLE = Buffer.from(invoice());
const ITEM = itemIds(() => Date.parse('2026-11-21T09:59:00Z'), systemRandom)();

let service: ScriptedService;
let world: World<ScriptedService>;
let other: string;
beforeEach(async () => {
  world = await startWorld(scripted());
  ({ service } = world);
  other = mkdtempSync(join(elsewhere ?? tmpdir(), 'dropgate-spool-'));
  await world.stop();
  // The spool goes there, rather than the inbox: to mount something takes root.
  rmSync(join(world.data, 'spool'), { recursive: true });
  symlinkSync(other, join(world.data, 'spool'));
  mkdirSync(join(other, 'acme-ab'));
});
afterEach(async () => {
  rmSync(other, { recursive: true });
});

const inbox = (name: string): string => join(homeFolder(world.data, 'acme-ab'), 'inbox', name);
const receipts = (): string[] => world.files('acme-ab', 'receipts');
const spoolFile = (item: string): string => join(other, 'acme-ab', spoolName({ item, mode: 'send', name: 'a.xml' }));

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));

/** One document was sent once, one receipt says so, and nothing is left behind. */
async function sentOnce(): Promise<void> {
  await world.inTime('the end', () => receipts().length > 0 && readdirSync(inbox('')).length === 1);
  const endMs = world.clock.now() + 120_000;
  await world.inTime('some rounds', () => world.clock.now() >= endMs);
  expect(service.creates()).toHaveLength(1);
  expect(receipts()).toHaveLength(1);
  expect(receipts()[0]).toMatch(/^a\.xml\..*\.accepted\.json$/);
  expect([world.spooled('acme-ab'), filesIn(join(other, 'receiving'))]).toEqual([[], []]);
  expect(readdirSync(inbox(''))).toEqual(['overwrite']);
}

describe.runIf(isElsewhere)('a file on another file system', () => {
  it('is taken, byte for byte', async () => {
    await world.restart();
    writeFileSync(inbox('a.xml'), WHOLE);
    await sentOnce();
    expect(service.creates()[0]?.body.equals(WHOLE)).toBe(true);
  });

  it.each<[string, () => void]>([
    ['its renaming', () => writeFileSync(inbox(`.${ITEM}~a.xml`), WHOLE)],
    [
      'half of the copy',
      () => {
        writeFileSync(inbox(`.${ITEM}~a.xml`), WHOLE);
        writeFileSync(copyPath(world.data, 'BEFORE', ITEM), WHOLE.subarray(0, 500));
      },
    ],
    [
      'the copy',
      () => {
        writeFileSync(inbox(`.${ITEM}~a.xml`), WHOLE);
        writeFileSync(copyPath(world.data, 'BEFORE', ITEM), WHOLE);
      },
    ],
    [
      'the copy has its name in the spool, before its row',
      () => {
        writeFileSync(inbox(`.${ITEM}~a.xml`), WHOLE);
        writeFileSync(spoolFile(ITEM), WHOLE);
      },
    ],
  ])('is sent once when a crash comes after %s', async (_, make) => {
    make();
    await world.restart();
    await sentOnce();
  });

  it('is sent once when a crash comes after the row, and the item has ended before the folder can be looked at again', async () => {
    writeFileSync(spoolFile(ITEM), WHOLE);
    await world.restart();
    await world.inTime('the receipt', () => receipts().length === 1);
    writeFileSync(inbox(`.${ITEM}~a.xml`), WHOLE);
    await sentOnce();
  });

  it('is not given back over another that has its name by now: both are sent', async () => {
    writeFileSync(inbox(`.${ITEM}~a.xml`), WHOLE);
    writeFileSync(inbox('a.xml'), invoice({ id: 'OTHER' }));
    await world.restart();
    await world.inTime('both receipts', () => receipts().length === 2);
    expect(service.creates()).toHaveLength(2);
  });

  it('that cannot be copied stays where it was, under its name', async () => {
    await world.restart();
    const gone = `${other}-gone`;
    renameSync(join(other, 'receiving'), gone);
    writeFileSync(join(other, 'receiving'), '');
    writeFileSync(inbox('a.xml'), WHOLE);
    await world.inTime('the complaint', () => world.logged('watch.take-failed') > 0);
    expect(readdirSync(inbox('')).sort()).toEqual(['a.xml', 'overwrite']);
    rmSync(join(other, 'receiving'));
    renameSync(gone, join(other, 'receiving'));
    await sentOnce();
  });
});

/** The spool is on the file system of the inbox after all. */
function spoolBeside(): void {
  rmSync(join(world.data, 'spool'));
  mkdirSync(join(world.data, 'spool', 'acme-ab'), { recursive: true });
}

describe('whoever still writes', () => {
  const PLACE = { home: 'acme-ab', folder: 'inbox' } as const;

  it.each(['another file system', 'the same'])(
    'between the look and the take, from %s, keeps the file: nothing was taken',
    async (where) => {
      if (where === 'the same') spoolBeside();
      await world.restart();
      const path = inbox('.held.xml');
      writeFileSync(path, WHOLE);
      const { size, mtimeMs, ino } = statSync(path);
      for (const found of [
        { size: size + 1, mtimeMs, ino },
        { size, mtimeMs: mtimeMs - 1, ino },
        { size, mtimeMs, ino: ino + 1 },
      ]) {
        const take = world.gateway().intake.take(PLACE, 'a.xml', path, { ...found, sha256: null });
        await expect(take).rejects.toMatchObject({ code: 'in-flight' });
        expect(readFileSync(path).equals(WHOLE)).toBe(true);
      }
      expect([service.creates(), world.spooled('acme-ab')]).toEqual([[], []]);
    },
  );

  it('into the spool changes nothing that is sent: the item is held, with a receipt', async () => {
    await world.restart();
    service.script = () => 'reset';
    writeFileSync(inbox('a.xml'), WHOLE);
    await world.inTime('the first attempt', () => service.creates().length > 0);
    for (const name of world.spooled('acme-ab')) appendFileSync(join(other, 'acme-ab', name), 'more');
    service.script = obliging;
    await world.inTime('the receipt', () => receipts().some((name) => name.endsWith('.held.json')));
    expect(service.creates().every(({ body }) => body.equals(WHOLE))).toBe(true);
  });

  it('into what was copied has a new file, under the old name', async () => {
    const [from, to, copy] = [inbox('a.xml'), join(other, 'acme-ab', 'to'), join(other, 'copy')];
    writeFileSync(from, WHOLE);
    const { mtimeMs } = statSync(from);
    const sha256 = createHash('sha256').update(WHOLE).digest('hex');
    const isSame = (path: string | Buffer): boolean => statSync(path).mtimeMs === mtimeMs;
    const parts = { folders: new FolderSync(), inHand: new HomesInHand() };
    const carried = await carry(parts, { item: ITEM, name: 'a.xml', from, waitsIn: inbox(''), copy, to, sha256, isSame });
    expect([existsSync(from), readFileSync(to).equals(WHOLE)]).toEqual([false, true]);
    appendFileSync(inbox(`.${ITEM}~a.xml`), 'more');
    carried.end();
    expect([readFileSync(from, 'utf8'), readFileSync(to).equals(WHOLE)]).toEqual([`${WHOLE}more`, true]);
  });
});
