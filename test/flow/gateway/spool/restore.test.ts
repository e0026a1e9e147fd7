// Ledger or spool, lost or restored from a backup: noticed by the epoch stamp, nothing lost, nothing sent or published twice.

import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { putStamp, readStamp } from '#gateway/ledger/epochs.ts';
import { readItem } from '#gateway/ledger/items.ts';
import type { FoundItem } from '#gateway/ledger/searches.ts';
import { ALL_HOMES } from '#gateway/model/homes.ts';
import { itemNamed } from '#gateway/operate/operator.ts';
import { type Resubmission, resubmitAccepted } from '#gateway/operate/resend.ts';
import { recoverSpool } from '#gateway/spool/recover.ts';
import { manualClock } from '../../../support/clock.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';
import type { StandIn } from '../../../support/stand-in/stand-in.ts';
import { until } from '../../../support/until.ts';
import { copyLedger, removeLedger, restoreLedger } from '../../../support/world/ledger-files.ts';
import { emptyTable } from '../../../support/world/ledger-rows.ts';
import { standIn } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const ACCOUNT = 'acme-ab';

let service: StandIn;
let world: World<StandIn>;

beforeEach(async () => {
  world = await startWorld(standIn({ clock: manualClock(), accounts: { [ACCOUNT]: 'key' } }), { hinted: false });
  ({ service } = world);
});

const spoolPath = (...names: string[]): string => join(world.data, 'spool', ...names);
const stamp = (): string => readFileSync(spoolPath('.epoch'), 'utf8');
const find = (item: string): Promise<FoundItem> => world.operate(({ ledger }) => itemNamed(ledger, item));
const posts = (): number => service.requests.filter(({ method }) => method === 'POST').length;
const everything = (): string[] =>
  ['receipts', 'accepted', 'refused', 'outbox'].flatMap((folder) => world.files(ACCOUNT, folder).map((name) => `${folder}/${name}`));

/** Creates come to nothing, until it is called. */
function refuseCreates(): () => void {
  service.manners.fault = ({ method }) => (method === 'POST' ? FAULTS.lostRequest : undefined);
  return () => {
    service.manners.fault = () => undefined;
  };
}

/** Copies the ledger as the administrator's manual says, and returns what puts the copy back in its place. */
function backUpLedger(): () => void {
  const backup = mkdtempSync(join(world.data, 'backup-'));
  copyLedger(world.data, backup);
  return () => restoreLedger(world.data, backup);
}

function backUpSpool(): () => void {
  const copy = join(world.data, 'copy-of-spool');
  cpSync(spoolPath(), copy, { recursive: true });
  return () => {
    rmSync(spoolPath(), { recursive: true });
    renameSync(copy, spoolPath());
  };
}

it('a file that was lost from the spool alone is held where it was tried, and was never acknowledged where it was not', async () => {
  const createsAgain = refuseCreates();
  const [tried, untried] = [
    await world.drop(ACCOUNT, '1.xml', invoice({ id: 'T-1' })),
    await world.drop(ACCOUNT, '2.xml', invoice({ id: 'T-2' })),
  ];
  await until('a try', () => posts() > 0);
  await until('the second to wait for it', async () => (await find(untried)).reason !== null);
  await world.stop();
  for (const file of world.spooled(ACCOUNT)) rmSync(spoolPath(ACCOUNT, file));
  createsAgain();
  await world.restart();
  expect(world.logged('recover.restored')).toBe(0);
  expect(await world.receipt(ACCOUNT, '1.xml', 'held')).toMatchObject({ action: 'wait', code: 'bytes-lost' });
  expect([(await find(tried)).state, (await find(untried)).state]).toEqual(['held', 'cancelled']);
  expect(service.holding.all).toEqual([]);
});

describe('the stamp', () => {
  it('moves at each start and with the work', async () => {
    const first = stamp();
    await world.drop(ACCOUNT, 'i.xml', invoice());
    await world.receipt(ACCOUNT, 'i.xml', 'accepted');
    const second = await world.inTime('it to move', () => stamp() !== first && stamp(), 10_000);
    await world.stop();
    const third = stamp();
    await world.restart();
    expect(new Set([first, second, third, stamp()]).size).toBeGreaterThanOrEqual(3);
    expect(stamp()).not.toBe(third);
    expect(world.logged('recover.restored')).toBe(0);
  });

  it.each(['before the file was written', 'after it was written'])('a crash while it moves, %s, is no restore', async (when) => {
    await world.stop();
    await world.administer(({ ledger }) =>
      ledger.write([], async (rows) => {
        const known = (await readStamp(rows))?.stamp ?? '';
        await putStamp(rows, when.startsWith('before') ? { before: known, stamp: 'next' } : { before: 'earlier', stamp: known });
      }),
    );
    await world.restart();
    expect(world.logged('recover.restored')).toBe(0);
  });

  it.each(['the file', 'the row'])('without %s it is a restore', async (what) => {
    await world.stop();
    if (what === 'the file') rmSync(spoolPath('.epoch'));
    else await world.administer(({ ledger }) => emptyTable(ledger, 'epochs'));
    await world.restart();
    expect(world.logged('recover.restored')).toBe(1);
  });
});

describe('an older ledger', () => {
  it('an open item that had ended since is recognised by what its home shows', async () => {
    const answering = refuseCreates();
    const item = await world.drop(ACCOUNT, 'i.xml', invoice());
    await until('the first try', () => posts() === 1);
    const restore = backUpLedger();
    answering();
    await world.inTime('the receipt', () => world.files(ACCOUNT, 'receipts').length === 1);
    await until('the original', () => world.files(ACCOUNT, 'accepted').length === 1);
    await world.stop();
    const before = everything();
    restore();
    await world.restart();
    expect(world.logged('recover.restored')).toBe(1);
    expect(await find(item)).toMatchObject({ state: 'accepted' });
    await world.inTime('some time', () => world.clock.now() > 0, 60_000);
    expect(everything()).toEqual(before);
    expect(service.tally(ACCOUNT, ['1001'])).toEqual({ lost: [], twice: [] });
  });

  it('and when nothing of it is left there, it is held with a receipt that says so', async () => {
    const answering = refuseCreates();
    const item = await world.drop(ACCOUNT, 'i.xml', invoice());
    await until('the first try', () => posts() === 1);
    const restore = backUpLedger();
    answering();
    await world.inTime('the original', () => world.files(ACCOUNT, 'accepted').length === 1);
    await world.stop();
    for (const folder of ['receipts', 'accepted']) world.clear(ACCOUNT, folder);
    restore();
    await world.restart();
    expect(await find(item)).toMatchObject({ state: 'held' });
    expect(await world.receipt(ACCOUNT, 'i.xml', 'held')).toMatchObject({ action: 'wait' });
    expect(service.tally(ACCOUNT, ['1001'])).toEqual({ lost: [], twice: [] });
  });

  it('an attempt that it does not know may have got through: it is looked for first', async () => {
    // The service keeps the document, forgets keys and duplicates, and its answer is lost.
    service.manners.fault = ({ method }) => (method === 'POST' ? FAULTS.lostRequest : undefined);
    await world.stop();
    await world.restart();
    const restore = await (async () => {
      const held = world.drop(ACCOUNT, 'i.xml', invoice());
      await held;
      return backUpLedger();
    })();
    await until('the first try', () => posts() >= 1);
    service.manners.fault = ({ method }) => (method === 'POST' ? FAULTS.lostAnswer : undefined);
    await world.inTime('a try that got through', () => service.holding.all.length === 1);
    await world.stop();
    service.manners.fault = () => undefined;
    service.manners.honoursKeys = false;
    service.manners.refusesDuplicates = false;
    restore();
    await world.administer(({ ledger }) => emptyTable(ledger, 'attempts'));
    await world.restart();
    await world.inTime('the receipt', () => world.files(ACCOUNT, 'receipts').some((name) => name.includes('.accepted.')));
    expect(service.tally(ACCOUNT, ['1001'])).toEqual({ lost: [], twice: [] });
  });

  it('documents published since count as published when they were read, in the version that was read', async () => {
    const read = service.arrive(ACCOUNT, invoice({ id: 'A', sender: BUYER, receiver: SELLER }));
    await world.inTime('A', () => world.files(ACCOUNT, 'outbox').length === 1, 60_000);
    await world.inTime('its mark', () => read.readAt !== null, 60_000);
    const restore = backUpLedger();
    const later = service.arrive(ACCOUNT, invoice({ id: 'B', sender: BUYER, receiver: SELLER }));
    service.holding.replace(read, invoice({ id: 'A', sender: BUYER, receiver: SELLER, note: 'second version' }));
    await world.inTime('B and the second A', () => world.files(ACCOUNT, 'outbox').length === 3, 60_000);
    await world.inTime('their marks', () => later.readAt !== null && read.readAt !== null, 60_000);
    await world.stop();
    world.clear(ACCOUNT, 'outbox');
    restore();
    const unread = service.arrive(ACCOUNT, invoice({ id: 'C', sender: BUYER, receiver: SELLER }));
    await world.restart();
    await world.inTime('C', () => world.files(ACCOUNT, 'outbox').length === 1, 60_000);
    await world.inTime('its mark', () => unread.readAt !== null, 60_000);
    // And at the next comparison of all.
    world.clock.advance(7 * 3_600_000);
    const asked = service.requests.length;
    await world.inTime('a few more sweeps', () => service.requests.length > asked + 40, 60_000);
    expect(world.files(ACCOUNT, 'outbox').map((name) => name.split('_')[2])).toEqual(['C']);
    // A version that comes after it is published.
    service.holding.replace(read, invoice({ id: 'A', sender: BUYER, receiver: SELLER, note: 'third version' }));
    await world.inTime('the third A', () => world.files(ACCOUNT, 'outbox').length === 2, 60_000);
  });
});

describe('an older spool', () => {
  it('what had ended since goes back to where it was, and nothing is sent', async () => {
    const answering = refuseCreates();
    const item = await world.drop(ACCOUNT, 'i.xml', invoice());
    await until('the first try', () => posts() === 1);
    const restore = backUpSpool();
    answering();
    await world.inTime('the original', () => world.files(ACCOUNT, 'accepted').length === 1);
    await world.stop();
    const before = everything();
    const sent = posts();
    world.clear(ACCOUNT, 'accepted');
    restore();
    await world.restart();
    expect(await find(item)).toMatchObject({ state: 'accepted' });
    expect(everything()).toEqual(before);
    expect(world.spooled(ACCOUNT)).toEqual([]);
    expect(posts()).toBe(sent);
  });

  it('what was dropped since is held with a receipt: it was acknowledged, and its bytes are gone', async () => {
    const restore = backUpSpool();
    refuseCreates();
    const item = await world.drop(ACCOUNT, 'i.xml', invoice());
    await until('the first try', () => posts() === 1);
    // Behind the first, so that nothing of it was tried.
    const untried = await world.drop(ACCOUNT, 'next.xml', invoice({ id: '1002' }));
    await world.stop();
    restore();
    await world.restart();
    for (const each of [item, untried]) expect(await find(each)).toMatchObject({ state: 'held' });
    for (const name of ['i.xml', 'next.xml']) await world.receipt(ACCOUNT, name, 'held');
  });
});

describe('both together', () => {
  it('a lost ledger: what is open is adopted, and what the service has is not sent again', async () => {
    service.manners.fault = ({ method }) => (method === 'POST' ? FAULTS.lostAnswer : undefined);
    await world.drop(ACCOUNT, 'i.xml', invoice());
    await until('the document at the service', () => service.holding.all.length === 1);
    await world.stop();
    removeLedger(world.data);
    service.manners.fault = () => undefined;
    service.manners.honoursKeys = false;
    service.manners.refusesDuplicates = false;
    await world.addAccount(ACCOUNT, 'key');
    await world.restart();
    expect(world.logged('recover.restored')).toBe(1);
    await world.inTime('the receipt', () => world.files(ACCOUNT, 'receipts').some((name) => name.includes('.accepted.')));
    expect(service.tally(ACCOUNT, ['1001'])).toEqual({ lost: [], twice: [] });
  });

  it('restored by one hand they agree: the operator says so, and everything open is looked for first', async () => {
    refuseCreates();
    const item = await world.drop(ACCOUNT, 'i.xml', invoice());
    await until('the first try', () => posts() === 1);
    await world.stop();
    const done = await world.operate((on) => recoverSpool({ ...on, restored: true }, ALL_HOMES));
    expect(done).toMatchObject({ restored: true, recovered: { adopted: 0, held: 0 } });
    expect(await world.administer(({ ledger }) => readItem(ledger.read, item))).toMatchObject({ recovered: true });
    await world.restart();
    expect(world.logged('recover.restored')).toBe(0);
  });
});

describe('an older service', () => {
  const resubmit = (): Promise<Resubmission[]> =>
    world.operate(async (on) => {
      const all: Resubmission[] = [];
      for await (const each of resubmitAccepted(on, { sinceMs: 0, dryRun: false })) all.push(each);
      return all;
    });

  it('and an older ledger: originals that neither knows are sent again, by what lies in accepted, once', async () => {
    await world.drop(ACCOUNT, 'known.xml', invoice());
    await world.inTime('the original', () => world.files(ACCOUNT, 'accepted').length === 1);
    const restore = backUpLedger();
    await world.drop(ACCOUNT, 'Räkning.v2.xml', invoice({ id: '1002' }));
    await world.inTime('both originals', () => world.files(ACCOUNT, 'accepted').length === 2);
    await world.stop();
    restore();
    for (const held of service.holding.all.filter(({ documentId }) => documentId === '1002')) service.holding.remove(held);
    await world.restart();
    const done = await resubmit();
    expect(done.map(({ result }) => result && Object.keys(result)[0])).toEqual(['item', 'item']);
    await world.inTime('an empty spool', () => world.spooled(ACCOUNT).length === 0);
    expect(service.tally(ACCOUNT, ['1001', '1002'])).toEqual({ lost: [], twice: [] });
    // Asked once more it knows all of them.
    await resubmit();
    await world.inTime('an empty spool', () => world.spooled(ACCOUNT).length === 0);
    expect(service.tally(ACCOUNT, ['1001', '1002'])).toEqual({ lost: [], twice: [] });
  });

  it('asked for twice, tells once what was sent again, and nothing of what was there all the time', async () => {
    await world.drop(ACCOUNT, 'kept.xml', invoice());
    await world.drop(ACCOUNT, 'lost.xml', invoice({ id: '1002' }));
    await world.inTime('both originals', () => world.files(ACCOUNT, 'accepted').length === 2);
    for (const held of service.holding.all.filter(({ documentId }) => documentId === '1002')) service.holding.remove(held);
    const accepted = (): string[] => world.files(ACCOUNT, 'receipts').filter((name) => name.endsWith('.accepted.json'));
    await resubmit();
    await world.inTime('an empty spool', () => world.spooled(ACCOUNT).length === 0);
    expect(accepted().map((name) => name.slice(0, 8))).toEqual(['kept.xml', 'lost.xml', 'lost.xml']);
    const before = world.files(ACCOUNT, 'receipts');
    for (let times = 0; times < 2; times++) {
      expect((await resubmit()).map(({ result }) => result && Object.keys(result)[0])).toEqual(['item', 'item']);
      await world.inTime('an empty spool', () => world.spooled(ACCOUNT).length === 0);
    }
    expect(accepted()).toHaveLength(3);
    expect(before.every((name) => world.files(ACCOUNT, 'receipts').includes(name))).toBe(true);
    expect(service.tally(ACCOUNT, ['1001', '1002'])).toEqual({ lost: [], twice: [] });
  });

  it('and an older ledger, in which an item was open: its original is found by its name', async () => {
    const answering = refuseCreates();
    await world.drop(ACCOUNT, 'i.xml', invoice());
    await until('the first try', () => posts() === 1);
    const restore = backUpLedger();
    answering();
    await world.inTime('the original', () => world.files(ACCOUNT, 'accepted').length === 1);
    await world.stop();
    restore();
    for (const held of [...service.holding.all]) service.holding.remove(held);
    await world.restart();
    expect((await resubmit()).map(({ result }) => result && Object.keys(result)[0])).toEqual(['item']);
    await world.inTime('an empty spool', () => world.spooled(ACCOUNT).length === 0);
    expect(service.tally(ACCOUNT, ['1001'])).toEqual({ lost: [], twice: [] });
  });

  it('marks that it has forgotten are set again, and nothing is published twice', async () => {
    const read = service.arrive(ACCOUNT, invoice({ id: 'A', sender: BUYER, receiver: SELLER }));
    await world.inTime('its mark', () => read.readAt !== null, 60_000);
    read.readAt = null;
    await resubmit();
    service.arrive(ACCOUNT, invoice({ id: 'B', sender: BUYER, receiver: SELLER }));
    await world.inTime('the mark', () => read.readAt !== null, 60_000);
    await world.inTime('B', () => world.files(ACCOUNT, 'outbox').length === 2, 60_000);
  });
});

it('staged files that no row names are removed, in the homes of accounts that are not served, too', async () => {
  const staged = join(world.data, 'homes', 'former-ab', '.staged');
  cpSync(join(world.data, 'homes', ACCOUNT, '.staged'), staged, { recursive: true });
  writeFileSync(join(staged, 'ORPHAN'), 'half a receipt');
  await world.restart();
  expect(readdirSync(staged)).toEqual([]);
  expect(existsSync(staged)).toBe(true);
});
