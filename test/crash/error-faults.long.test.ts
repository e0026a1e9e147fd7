// The disk refuses: full, broken, read-only, no descriptors left, at each place where the daemon makes a durable call, as a recorded upload
// shows them. What was acknowledged all the same arrives, once, when the disk is well again. DROPGATE_ERROR_FAULTS is how many of the faults
// are tried (12; in the whole `all`); DROPGATE_ERROR_SEED repeats a draw.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { amountOf } from '../support/amounts.ts';
import { isAlive, SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { readJournal } from '../support/faults/journal.ts';
import { type CallKind, type Faults, openFaults, type Rule } from '../support/faults/shim.ts';
import { acceptancesOf, inSession, versionsOf, type World, worldOf, write } from '../support/faults/world.ts';
import { randomOf } from '../support/random.ts';
import { until } from '../support/until.ts';
import { PEOPLE } from './people.ts';
import { documentOf } from './steps.ts';

const FAULTS = amountOf('DROPGATE_ERROR_FAULTS');
const SEED = Number(process.env.DROPGATE_ERROR_SEED ?? Date.now() % 1_000_000);
/** How long a fault lasts when nothing shows that it was met. */
const LASTS_MS = 1_500;
/** What was put off is tried again within a minute. */
const ARRIVES_WITHIN_MS = 600_000;

/** How each kind of call may fail. */
const FAILURES: Readonly<Partial<Record<CallKind, readonly Rule['failure'][]>>> = {
  open: ['EMFILE', 'EIO'],
  create: ['EMFILE', 'ENOSPC', 'EROFS', 'EIO'],
  cut: ['EMFILE', 'ENOSPC', 'EROFS', 'EIO'],
  write: ['ENOSPC', 'EIO'],
  sync: ['EIO', 'ENOSPC'],
  'sync-folder': ['EIO'],
  rename: ['ENOSPC', 'EROFS', 'EIO'],
  unlink: ['EROFS', 'EIO'],
  close: ['EIO'],
};

it(`nothing is acknowledged that does not arrive, though the disk refuses (seed ${SEED})`, { timeout: 3_600_000 }, async () => {
  const random = randomOf(SEED);
  const parent = mkdtempSync(join(tmpdir(), 'dropgate-refused-'));
  using faults = openFaults({ root: parent, journal: true });
  try {
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, parent, env: faults.env });
    const sites = await sitesOf(daemon, faults);
    const rules = drawn(sites, random).map((rule, at) => ({ rule, id: `FAULT-${at}` }));
    const acknowledged: string[] = [];
    let ended = 0;
    for (const { rule, id } of rules) {
      faults.set([rule]);
      if (await isAcknowledged(worldOf(daemon, ARRIVES_WITHIN_MS), id)) acknowledged.push(id);
      await arrived(worldOf(daemon, ARRIVES_WITHIN_MS), id, LASTS_MS);
      faults.set([]);
      if (!isAlive(daemon)) {
        ended++;
        await daemon.start();
      }
    }
    await daemon.kill();
    await daemon.start();
    const world = worldOf(daemon, ARRIVES_WITHIN_MS);
    for (const id of acknowledged) await arrived(world, id, ARRIVES_WITHIN_MS);
    const lost = acknowledged.filter((id) => versionsOf(world, 'buyer', id) === 0 || acceptancesOf(world, 'seller', id) === 0);
    const twice = rules.map(({ id }) => id).filter((id) => versionsOf(world, 'buyer', id) > 1 || acceptancesOf(world, 'seller', id) > 1);
    console.log(
      `error faults: ${rules.length} of ${sites.length} tried, ${acknowledged.length} uploads acknowledged all the same, ${ended} times the daemon ended, ${lost.length} lost, ${twice.length} twice, seed ${SEED}`,
    );
    const told = (ids: readonly string[]): Rule[] => rules.filter(({ id }) => ids.includes(id)).map(({ rule }) => rule);
    expect({ lost: told(lost), twice: told(twice) }).toEqual({ lost: [], twice: [] });
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});

it('a daemon that believed a disk that refuses would be noticed: the refusal is kept from it', { timeout: 600_000 }, async () => {
  const parent = mkdtempSync(join(tmpdir(), 'dropgate-refused-'));
  using faults = openFaults({ root: parent });
  try {
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, parent, env: faults.env });
    faults.set([{ action: 'ignore', kinds: ['rename'], path: '*/spool/seller/*' }]);
    expect(await isAcknowledged(worldOf(daemon, ARRIVES_WITHIN_MS), 'BELIEVED')).toBe(true);
    faults.set([]);
    await daemon.kill();
    await daemon.start();
    expect(await arrived(worldOf(daemon, ARRIVES_WITHIN_MS), 'BELIEVED', LASTS_MS)).toBe(false);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});

it('a disk that says once that it has failed is believed while a document is judged at CLOSE', { timeout: 600_000 }, async () => {
  const parent = mkdtempSync(join(tmpdir(), 'dropgate-refused-'));
  using faults = openFaults({ root: parent });
  try {
    await using daemon = await startDaemon({ ...PEOPLE, parent, env: faults.env });
    const world = worldOf(daemon, ARRIVES_WITHIN_MS);
    const put = (id: string): Promise<void> => inSession(world, 'strict', (sftp) => write(sftp, `/inbox/${id}.xml`, documentOf(id)));
    faults.set([{ action: 'fail', kinds: ['sync'], path: '*/spool/receiving/*/*', times: 1, failure: 'EIO' }]);
    await expect(put('UNSYNCED')).rejects.toThrow('nothing was kept of it');
    await put('SYNCED');
    expect(await arrived(world, 'SYNCED', ARRIVES_WITHIN_MS)).toBe(true);
    expect(versionsOf(world, 'buyer', 'UNSYNCED')).toBe(0);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});

/** Each place at which an upload makes a call, on its way to the outbox, with each way in which that may fail. */
async function sitesOf(daemon: TestDaemon, faults: Faults): Promise<Rule[]> {
  faults.mark('begins');
  await isAcknowledged(worldOf(daemon, ARRIVES_WITHIN_MS), 'TRACED');
  await daemon.receipt('seller', 'TRACED.xml', 'delivered', ARRIVES_WITHIN_MS);
  const calls = readJournal(faults.journal());
  const begins = calls.findLastIndex(({ kind }) => kind === 'mark');
  const sites = new Map<string, Rule>();
  for (const { kind, path, other } of calls.slice(begins)) {
    const isFolder = kind === 'open' && other !== '';
    for (const each of kind === 'sync-begin' ? (['sync', 'sync-folder'] as const) : [kind]) {
      const site = siteOf(each === 'rename' ? other : path);
      for (const failure of isCallKind(each) && !isFolder ? (FAILURES[each] ?? []) : []) {
        if (isCallKind(each) && failure) sites.set(`${each} ${site} ${failure}`, { action: 'fail', kinds: [each], path: site, failure });
      }
    }
  }
  return [...sites.values()];
}

/** Without what is different at each upload: the folder of the test, and the names of files. */
function siteOf(path: string): string {
  const below = path.replace(/^\/[^/]+\/data/, '');
  return `*${below.replace(/(\/(?:spool\/\w+|homes\/\w+\/[.\w]+))\/.+$/, '$1/*')}`;
}

function isCallKind(kind: string): kind is CallKind {
  return kind in FAILURES;
}

function drawn(sites: readonly Rule[], random: ReturnType<typeof randomOf>): Rule[] {
  const left = [...sites];
  return Array.from({ length: Math.min(FAULTS, sites.length) }, () => left.splice(random(0, left.length - 1), 1)).flat();
}

function isAcknowledged(world: World, id: string): Promise<boolean> {
  return inSession(world, 'erp', (sftp) => write(sftp, `/inbox/${id}.xml`, Buffer.from(invoice({ id })))).then(
    () => true,
    () => false,
  );
}

async function arrived(world: World, id: string, withinMs: number): Promise<boolean> {
  const isThere = (): boolean => versionsOf(world, 'buyer', id) > 0 && acceptancesOf(world, 'seller', id) > 0;
  return until(`${id} to arrive`, () => pause(50).then(isThere), withinMs).catch(() => false);
}
