// A process that loses its homes while it waits for something: what it was about to rename, replace or remove stays as it is, for another may have it by now.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '#domain/error.ts';
import { incarnationId } from '#domain/id.ts';
import { openQueue } from '#engines/open.ts';
import { endsPath } from '#gateway/archive/chain.ts';
import { archiveFolder } from '#gateway/archive/places.ts';
import { type Carried, carry } from '#gateway/disk/carry.ts';
import { ensureHome, homeFolder } from '#gateway/disk/paths.ts';
import { copyPath, receivingPath, spooledPath } from '#gateway/disk/spool-files.ts';
import { insertItem } from '#gateway/ledger/items.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { ALL_HOMES, HomesInHand } from '#gateway/model/homes.ts';
import { cancelItem } from '#gateway/operate/cancel.ts';
import { eraseArchive } from '#gateway/operate/erase.ts';
import { openOperator } from '#gateway/operate/operator.ts';
import { moveIn } from '#gateway/publish/move.ts';
import { discardStaged, sweepStaged } from '#gateway/publish/staging.ts';
import { moveEpoch } from '#gateway/spool/epoch.ts';
import { takeUpSpool } from '#gateway/spool/recover.ts';
import { Unfinished } from '#gateway/spool/unfinished.ts';
import { systemRandom } from '#runtime/clock.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../../support/clock.ts';
import { MEMORY } from '../../../support/memory.ts';
import { needed } from '../../../support/needed.ts';
import { untouched } from '../../../support/untouched.ts';

const HOME = 'acme';
const ITEM = '01KAJ3V7Q8ABCDEFGHJKMNPQRS';
const BYTES = '<Invoice/>';
const OURS = incarnationId(systemRandom);
/** Of a process that has ended. */
const ENDED = incarnationId(systemRandom);

/** Where there is another file system than that of temporary files. */
const elsewhere = [MEMORY, '/var/tmp'].find((folder) => existsSync(folder) && statSync(folder).dev !== statSync(tmpdir()).dev);
const isElsewhere = needed('a second file system', elsewhere !== undefined, 'mount one at /dev/shm');

let data: string;
let ledger: Ledger;
/** So often it looks before it has lost them. */
let looksLeft: number;

const inHand = new HomesInHand(undefined, () => {
  if (looksLeft-- <= 0) throw new AppError('locked', 'This node has lost its homes.');
});
const parts = () => ({ data, ledger, inHand, incarnation: OURS, folders: new FolderSync(), random: systemRandom });

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'dropgate-lost-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  ensureHome(data, HOME);
  ledger = await openGatewayLedger(data);
  onTestFinished(() => ledger.close());
  looksLeft = Number.POSITIVE_INFINITY;
});

/** A file of the data folder; its path below it. */
function put(...below: string[]): string {
  const path = join(data, ...below);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, BYTES);
  return join(...below);
}

function begunUpload(state: 'open' | 'waiting'): void {
  const upload = { upload: ITEM, state, folder: 'inbox', home: HOME, login: 'erp', name: 'a.xml.tmp' } as const;
  put(receivingPath('', ENDED, upload));
}

function carrying(): Promise<Carried> {
  const from = join(data, put('homes', HOME, 'inbox', 'a.xml'));
  const sha256 = createHash('sha256').update(BYTES).digest('hex');
  const to = join(data, 'spool', HOME, 'a');
  const copy = copyPath(data, OURS, ITEM);
  return carry(parts(), { item: ITEM, name: 'a.xml', from, waitsIn: dirname(from), copy, to, sha256, isSame: () => true });
}

const staged = () => ({ home: HOME, folder: 'outbox', name: 'a.xml', staged: put('staged', ENDED, 'a') }) as const;
const onlyOurs = { living: async () => new Set([OURS]) };

interface Act {
  readonly what: string;
  /** Looks that still find its homes. */
  readonly looks?: number;
  /** What it is about to do. */
  prepare(): Promise<() => Promise<unknown>>;
}

const ACTS: readonly Act[] = [
  {
    what: 'an upload that waits for its name, of a process that has ended',
    async prepare() {
      begunUpload('waiting');
      return () => new Unfinished({ ...parts(), ...onlyOurs }).takeOver().next();
    },
  },
  {
    what: 'an upload that was being written, and has been copied',
    looks: 1,
    async prepare() {
      begunUpload('open');
      return () => new Unfinished({ ...parts(), ...onlyOurs }).takeOver().next();
    },
  },
  {
    what: 'a file that is copied from another file system',
    prepare: async () => carrying,
  },
  {
    what: 'a file that was copied, and is not owed',
    async prepare() {
      const carried = await carrying();
      return async () => carried.undo();
    },
  },
  {
    what: 'the original of a file that was copied',
    async prepare() {
      const carried = await carrying();
      return async () => carried.end();
    },
  },
  {
    what: 'the stamp of the spool',
    async prepare() {
      await moveEpoch(parts());
      return () => moveEpoch(parts());
    },
  },
  {
    what: 'the stamp of the spool, the new one being written',
    looks: 1,
    async prepare() {
      await moveEpoch(parts());
      return () => moveEpoch(parts());
    },
  },
  {
    what: 'a copy that a process has left that has ended',
    async prepare() {
      put(copyPath('', ENDED, ITEM));
      const [clock, log] = [manualClock(), openLog('silent')];
      const finisher = { finish: () => Promise.reject(new Error('nothing is to be finished')) };
      const taking = { ...parts(), ...onlyOurs, finisher, queue: openQueue(clock, log), clock, log };
      return () => takeUpSpool(taking, ALL_HOMES, { restored: false, atStart: false });
    },
  },
  {
    what: 'a file that is staged',
    async prepare() {
      const { staged: file } = staged();
      return async () => discardStaged(parts(), file);
    },
  },
  {
    what: 'what a process has staged that has ended',
    async prepare() {
      staged();
      return () => sweepStaged({ ...parts(), ...onlyOurs }, ALL_HOMES, async () => []);
    },
  },
  {
    what: 'a file that is owed to a home',
    async prepare() {
      const owed = staged();
      return () => moveIn(parts(), owed);
    },
  },
  {
    what: 'the archive of an account that is erased, of which a part is gone',
    looks: 1,
    async prepare() {
      rmSync(endsPath(data, HOME), { force: true });
      writeFileSync(join(data, put('archive', HOME, '2026-11-21', 'a.xml')), BYTES);
      expect(existsSync(archiveFolder(data, HOME))).toBe(true);
      return () => eraseArchive({ data, check: inHand.check }, HOME);
    },
  },
];

describe('A process that has lost its homes leaves', () => {
  it.each(ACTS)('$what', async ({ looks = 0, prepare }) => {
    const act = await prepare();
    looksLeft = looks;
    const doing = act();
    const expectUntouched = untouched(data);
    await expect(doing).rejects.toThrow('lost its homes');
    expectUntouched();
  });

  it('the original of an item that a command cancels', async () => {
    const item = { item: ITEM, accountRegNo: HOME, home: HOME, login: 'erp', fileName: 'a.xml', spoolName: 'a.xml', mode: 'send' } as const;
    put(spooledPath(item));
    const sha256 = createHash('sha256').update(BYTES).digest('hex');
    await ledger.write([], (rows) => insertItem(rows, { ...item, sha256, size: BYTES.length, receivedAt: 0, recovered: false }));
    const [clock, log] = [manualClock(), openLog('silent')];
    await using operator = await openOperator({ ...parts(), clock, log, check: inHand.check, receipts: 'json', archive: null });
    looksLeft = 0;
    const expectUntouched = untouched(data);
    // It is owed to the home from then on, by the node that has it.
    await cancelItem(operator, ITEM, false);
    expectUntouched();
  });

  it.runIf(isElsewhere).each([1, 2])('a file that is owed to a home on another file system, after %i looks', async (looks) => {
    const other = mkdtempSync(join(elsewhere ?? tmpdir(), 'dropgate-staged-'));
    onTestFinished(() => rmSync(other, { recursive: true }));
    symlinkSync(other, join(data, 'staged'));
    const owed = staged();
    const half = join(homeFolder(data, HOME), '.staged', `${ENDED}~a.copy`);
    writeFileSync(half, 'half of it');
    looksLeft = looks;
    await expect(moveIn(parts(), owed)).rejects.toThrow('lost its homes');
    expect([existsSync(join(other, ENDED, 'a')), existsSync(half), existsSync(join(homeFolder(data, HOME), 'outbox', 'a.xml'))]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

it('one upload that cannot be brought keeps none of the others back, and is told of in the end', async () => {
  const left = (upload: string, name: string) =>
    receivingPath(data, ENDED, { upload, state: 'open', folder: 'inbox', home: HOME, login: 'erp', name });
  // It cannot be copied.
  mkdirSync(left(`${ITEM.slice(0, -1)}R`, 'bad.xml'), { recursive: true });
  writeFileSync(left(ITEM, 'good.xml'), BYTES);
  const brought: string[] = [];
  const takingOver = async (): Promise<void> => {
    for await (const { name } of new Unfinished({ ...parts(), ...onlyOurs }).takeOver()) brought.push(name);
  };
  await expect(takingOver()).rejects.toThrow();
  expect(brought).toEqual(['good.xml']);
});
