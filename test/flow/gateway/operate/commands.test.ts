// What an operator does to items: finds them, cancels them, sends them again; while the gateway runs and while it does not.

import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { homeFolder } from '#gateway/disk/paths.ts';
import { putDeliveryStatus } from '#gateway/ledger/deliveries.ts';
import { doubtOpen, finishItem, insertItem, readItem, setHead } from '#gateway/ledger/items.ts';
import { readHistory, searchItems } from '#gateway/ledger/searches.ts';
import { ALL_HOMES } from '#gateway/model/homes.ts';
import { cancelItem } from '#gateway/operate/cancel.ts';
import { itemNamed } from '#gateway/operate/operator.ts';
import { type Resubmission, resendItem, resubmitAccepted } from '#gateway/operate/resend.ts';
import { bytesOf } from '#gateway/operate/where.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { created, obliging, refusal, type Script, type ScriptedService } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { scripted } from '../../../support/world/services.ts';
import { SESSION, startWorld, type World } from '../../../support/world/world.ts';

const HOUR_MS = 3_600_000;
const ACCOUNT = 'acme-ab';

let service: ScriptedService;
let world: World<ScriptedService>;

beforeEach(async () => {
  world = await startWorld(scripted());
  ({ service } = world);
});

/** What becomes of a create is not known. */
const failing: Script = ({ method }) => (method === 'POST' ? { status: 503, body: 'later' } : { status: 204 });
const refusing: Script = ({ method }) => (method === 'POST' ? refusal(422, 'E_VALIDATION', { details: [] }) : { status: 204 });

const stateOf = (item: string): Promise<string> => world.operate(async ({ ledger }) => (await itemNamed(ledger, item)).state);
const receiptsOf = (name: string): string[] => world.files(ACCOUNT, 'receipts').filter((file) => file.startsWith(`${name}.`));
const stagesOf = (name: string): string[] => world.stages(ACCOUNT, name).sort();

/** What the service never answers is held after three days. */
async function dropHeld(name: string): Promise<string> {
  service.script = failing;
  const item = await world.drop(ACCOUNT, name, invoice());
  await world.inTime('the item to be held', () => stagesOf(name).includes('held'), 2 * HOUR_MS);
  return item;
}

describe('cancel', () => {
  it('before the first attempt: a receipt, the original in refused, and nothing is sent', async () => {
    service.script = failing;
    await world.drop(ACCOUNT, 'first.xml', invoice({ id: '1' }));
    await until('the first at the service', () => service.creates().length === 1);
    // It waits for its turn behind the first, which has the same receiver.
    const item = await world.drop(ACCOUNT, 'second.xml', invoice({ id: '2' }));
    await until('the second to wait', () =>
      world.operate(async ({ ledger }) => (await itemNamed(ledger, item)).reason === 'waits for its turn'),
    );
    await world.operate((on) => cancelItem(on, item.slice(-8).toLowerCase(), false));
    const receipt = await world.receipt(ACCOUNT, 'second.xml', 'cancelled');
    expect(receipt).toMatchObject({ action: 'none', documentId: '2' });
    expect(world.files(ACCOUNT, 'refused')).toEqual([`second.${item.slice(-8).toLowerCase()}.xml`]);
    world.gateway().intake.leave(SESSION);
    await world.inTime('the file to leave the inbox', async () => {
      const entries = await world.gateway().intake.view({ home: ACCOUNT, folder: 'inbox' }, SESSION);
      return entries.every(({ name }) => name !== 'second.xml');
    });
    service.script = obliging;
    await world.inTime('the first', () => stagesOf('first.xml').includes('accepted'));
    expect(service.creates().every(({ body }) => body.equals(Buffer.from(invoice({ id: '1' }))))).toBe(true);
  });

  it('what waited behind it goes at once', async () => {
    service.script = failing;
    const first = await world.drop(ACCOUNT, 'first.xml', invoice({ id: '1' }));
    await until('the first at the service', () => service.creates().length === 1);
    const second = await world.drop(ACCOUNT, 'second.xml', invoice({ id: '2' }));
    const third = await world.drop(ACCOUNT, 'third.xml', invoice({ id: '2', note: 'the same number' }));
    await until('both to wait', async () => {
      const waiting = await world.operate(({ ledger }) => searchItems(ledger.read, { limit: 9, states: ['pending'] }));
      return waiting.filter(({ reason }) => reason === 'waits for its turn').length === 2;
    });
    service.script = obliging;
    await expect(world.operate((on) => cancelItem(on, first, false))).rejects.toMatchObject({ code: 'forbidden' });
    await world.operate((on) => cancelItem(on, second, false));
    await world.inTime('the third', () => stateOf(third).then((state) => state === 'accepted'));
  });

  it('takes back what the service has refused for want of its receiver, and will not send it when that is found', async () => {
    service.script = ({ method }) => (method === 'POST' ? refusal(422, 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP') : { status: 204 });
    const item = await world.drop(ACCOUNT, 'nowhere.xml', invoice());
    await world.inTime('the receipt', () => stagesOf('nowhere.xml').includes('delayed'));
    await until('its wait', async () => (await world.operate(({ ledger }) => itemNamed(ledger, item))).reason !== null);
    await world.operate((on) => cancelItem(on, item, false));
    service.script = obliging;
    world.clock.advance(24 * HOUR_MS);
    expect(stagesOf('nowhere.xml')).toEqual(['cancelled', 'delayed']);
    expect(await stateOf(item)).toBe('cancelled');
  });

  it('after the first attempt refuses with a sentence, for what is under way, held or ended', async () => {
    const held = await dropHeld('held.xml');
    await expect(world.operate((on) => cancelItem(on, held, false))).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('--tried'),
    });
    service.script = obliging;
    const ended = await world.drop(ACCOUNT, 'ended.xml', invoice({ id: '2' }));
    await world.inTime('the end', () => stateOf(ended).then((state) => state === 'accepted'));
    await expect(world.operate((on) => cancelItem(on, ended, true))).rejects.toMatchObject({ code: 'forbidden' });
    await expect(world.operate((on) => cancelItem(on, 'zzzzzzzz', true))).rejects.toMatchObject({ code: 'missing' });
    // A person has looked: the case is closed.
    await world.operate((on) => cancelItem(on, held, true));
    expect(stagesOf('held.xml')).toEqual(['cancelled', 'delayed', 'held']);
    expect(world.spooled(ACCOUNT)).toEqual([]);
  });

  it('an item of a backup cannot be cancelled where it was tried, whatever the outcomes of the tries', async () => {
    service.script = ({ method }) => (method === 'POST' ? refusal(422, 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP') : { status: 204 });
    const tried = await world.drop(ACCOUNT, 'tried.xml', invoice({ id: '1' }));
    await world.inTime('the receipt', () => stagesOf('tried.xml').includes('delayed'));
    const untried = await world.drop(ACCOUNT, 'untried.xml', invoice({ id: '2' }));
    await until('its wait', async () => (await world.operate(({ ledger }) => itemNamed(ledger, untried))).reason === 'waits for its turn');
    await world.administer(({ ledger }) => ledger.write([], (rows) => doubtOpen(rows, ALL_HOMES)));
    await expect(world.operate((on) => cancelItem(on, tried, false))).rejects.toMatchObject({ code: 'forbidden' });
    await world.operate((on) => cancelItem(on, untried, false));
    expect([await stateOf(tried), await stateOf(untried)]).toEqual(['pending', 'cancelled']);
  });

  it('of what is under way is refused also with --tried: only what is held can have been looked up', async () => {
    service.script = failing;
    const item = await world.drop(ACCOUNT, 'under-way.xml', invoice());
    await until('a try', () => service.creates().length === 1);
    await expect(world.operate((on) => cancelItem(on, item, true))).rejects.toMatchObject({ code: 'forbidden' });
    expect([await stateOf(item), stagesOf('under-way.xml')]).toEqual(['pending', []]);
    service.script = obliging;
    await world.inTime('its end', () => stagesOf('under-way.xml').includes('accepted'));
  });

  it('while the gateway does not run', async () => {
    service.script = failing;
    await world.drop(ACCOUNT, 'first.xml', invoice({ id: '1' }));
    await until('the first at the service', () => service.creates().length === 1);
    const item = await world.drop(ACCOUNT, 'second.xml', invoice({ id: '2' }));
    await world.stop();
    await world.operate((on) => cancelItem(on, item, false));
    expect(stagesOf('second.xml')).toEqual(['cancelled']);
    service.script = obliging;
    await world.restart();
    await world.inTime('the first', () => stagesOf('first.xml').includes('accepted'), 60_000);
    expect(service.creates().every(({ body }) => !body.equals(Buffer.from(invoice({ id: '2' }))))).toBe(true);
    expect(stagesOf('second.xml')).toEqual(['cancelled']);
  });
});

describe('resend', () => {
  it('of a held item is the same item, looked for first, with a receipt for each stage and none twice', async () => {
    const item = await dropHeld('i.xml');
    const attempts = service.creates().length;
    await world.operate((on) => resendItem(on, item));
    await world.inTime('one more attempt', () => service.creates().length > attempts);
    const looked = service.seen.findIndex(({ query }) => query.get('documentId') === '1001');
    expect(looked).toBeGreaterThan(0);
    // Three days begin anew: it is not held at once.
    expect(await stateOf(item)).toBe('pending');
    await world.inTime('to be held again', () => stateOf(item).then((state) => state === 'held'), 2 * HOUR_MS);
    service.script = obliging;
    await world.operate((on) => resendItem(on, item));
    await world.inTime('the end', () => stagesOf('i.xml').includes('accepted'));
    expect(stagesOf('i.xml')).toEqual(['accepted', 'delayed', 'held']);
    expect(world.files(ACCOUNT, 'accepted')).toHaveLength(1);
    expect(world.spooled(ACCOUNT)).toEqual([]);
  });

  it('of a refused item is a new one, with a key of its own', async () => {
    service.script = refusing;
    const item = await world.drop(ACCOUNT, 'i.xml', invoice());
    await world.receipt(ACCOUNT, 'i.xml', 'refused');
    await until('the original', () => world.files(ACCOUNT, 'refused').length === 1);
    service.script = obliging;
    const again = await world.operate((on) => resendItem(on, item));
    expect(again).not.toBe(item);
    expect(world.files(ACCOUNT, 'refused')).toEqual([]);
    await world.inTime('the end', () => stagesOf('i.xml').includes('accepted'));
    const [first, second] = service.creates();
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['idempotency-key']).not.toBe(first?.headers['idempotency-key']);
    expect(second?.query.get('overwrite')).toBeNull();
    const known = await world.operate(async ({ ledger }) => readHistory(ledger.read, await itemNamed(ledger, item)));
    expect(known.resentAs).toEqual([again]);
    await expect(world.operate((on) => resendItem(on, item))).rejects.toMatchObject({ code: 'missing' });
    await expect(world.operate((on) => resendItem(on, again))).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('of a refused one while the gateway does not run: it goes at the next start', async () => {
    service.script = refusing;
    const item = await world.drop(ACCOUNT, 'i.xml', invoice());
    await until('the original', () => world.files(ACCOUNT, 'refused').length === 1);
    await world.stop();
    service.script = obliging;
    await world.operate((on) => resendItem(on, item));
    await world.restart();
    await world.receipt(ACCOUNT, 'i.xml', 'accepted');
  });

  it('of what the network has refused overwrites it, as a second drop of the same number does', async () => {
    const item = await world.drop(ACCOUNT, 'i.xml', invoice());
    await world.receipt(ACCOUNT, 'i.xml', 'accepted');
    await until('the original', () => world.files(ACCOUNT, 'accepted').length === 1);
    await expect(world.operate((on) => resendItem(on, item))).rejects.toMatchObject({ code: 'forbidden' });
    const refuse = (each: string) =>
      world.administer(({ ledger }) => ledger.write([], (rows) => putDeliveryStatus(rows, each, 'failed', false)));
    await refuse(item);
    const again = await world.operate((on) => resendItem(on, item));
    await world.inTime('the second create', () => service.creates().length === 2);
    expect(service.creates()[1]?.query.get('overwrite')).toBe('true');
    await world.inTime('the receipt', () => receiptsOf('i.xml').length === 2);
    await refuse(again);
    await world.drop(ACCOUNT, 'repaired.xml', invoice({ note: 'repaired' }));
    await world.receipt(ACCOUNT, 'repaired.xml', 'accepted');
    expect(service.creates()[2]?.query.get('overwrite')).toBe('true');
    // And the repaired one is an ordinary one again.
    await world.drop(ACCOUNT, 'twice.xml', invoice({ note: 'repaired' }));
    await world.receipt(ACCOUNT, 'twice.xml', 'duplicate');
  });
});

describe('resubmit', () => {
  const resubmit = (sinceMs: number, dryRun = false): Promise<Resubmission[]> =>
    world.operate(async (on) => {
      const all: Resubmission[] = [];
      for await (const each of resubmitAccepted(on, { sinceMs, dryRun })) all.push(each);
      return all;
    });

  it('sends the latest version of what was accepted since, and looks first', async () => {
    await world.drop(ACCOUNT, 'old.xml', invoice({ id: 'old' }));
    await world.receipt(ACCOUNT, 'old.xml', 'accepted');
    world.clock.advance(HOUR_MS);
    const sinceMs = world.clock.now();
    await world.drop(ACCOUNT, 'v1.xml', invoice({ id: 'A' }));
    await world.receipt(ACCOUNT, 'v1.xml', 'accepted');
    await world.drop(ACCOUNT, 'v2.xml', invoice({ id: 'A', note: 'second' }), 'overwrite');
    await world.receipt(ACCOUNT, 'v2.xml', 'accepted');
    await world.drop(ACCOUNT, 'b.xml', invoice({ id: 'B' }));
    await world.receipt(ACCOUNT, 'b.xml', 'accepted');
    await world.drop(ACCOUNT, 'gone.xml', invoice({ id: 'C' }));
    await world.receipt(ACCOUNT, 'gone.xml', 'accepted');
    await until('the originals', () => world.files(ACCOUNT, 'accepted').length === 5);
    const [gone] = world.files(ACCOUNT, 'accepted').filter((name) => name.startsWith('gone.'));
    rmSync(join(homeFolder(world.data, ACCOUNT), 'accepted', gone ?? ''));

    // The restored service has B, and the first version of A.
    const [a, b] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
    service.seen.length = 0;
    service.script = ({ method, query }) => {
      if (method === 'POST') return created(a);
      if (query.get('documentId') === 'A') return { status: 200, body: listOf(a, 'A') };
      if (query.get('documentId') === 'B') return { status: 200, body: listOf(b, 'B') };
      const stored = query.get('integrationId') === a ? invoice({ id: 'A' }) : invoice({ id: 'B' });
      return query.has('integrationId')
        ? { status: 200, headers: { 'content-type': 'application/xml', integrationid: query.get('integrationId') ?? '' }, body: stored }
        : { status: 204 };
    };
    const foreseen = await resubmit(sinceMs, true);
    expect(foreseen.map(({ found }) => 'item' in found && found.documentId)).toEqual(['A', 'B', 'C']);
    expect(service.creates()).toHaveLength(0);
    const done = await resubmit(sinceMs);
    expect(done.map(({ result }) => result && Object.keys(result)[0])).toEqual(['item', 'item', 'problem']);
    // Once more changes nothing while they are under way, or after.
    await world.inTime('both to end', async () => {
      const pending = await world.operate(({ ledger }) => searchItems(ledger.read, { limit: 9, states: ['pending'] }));
      return pending.length === 0;
    });
    expect(
      service.creates().map(({ body, query }) => [body.equals(Buffer.from(invoice({ id: 'A', note: 'second' }))), query.get('overwrite')]),
    ).toEqual([[true, 'true']]);
    await until('a second receipt for each', () => [...stagesOf('v2.xml'), ...stagesOf('b.xml')].length === 4);
    expect(stagesOf('v2.xml')).toEqual(['accepted', 'accepted']);
    expect(stagesOf('b.xml')).toEqual(['accepted', 'accepted']);
  });

  it('does not go back behind a version that was accepted meanwhile', async () => {
    await world.drop(ACCOUNT, 'v1.xml', invoice({ id: 'A' }));
    await world.receipt(ACCOUNT, 'v1.xml', 'accepted');
    await until('the original', () => world.files(ACCOUNT, 'accepted').length === 1);
    await world.stop();
    const [done] = await resubmit(0);
    const again = done?.result && 'item' in done.result ? done.result.item : '';
    // A later version was on its way when the operator asked.
    await world.operate(({ ledger }) =>
      ledger.write([], async (rows) => {
        const [accepted] = await searchItems(rows, { limit: 1, states: ['accepted'] });
        const before = await readItem(rows, accepted?.item ?? '');
        if (!before?.head) throw new Error('it is not there');
        const later = { ...before, item: 'Z'.repeat(26), sha256: 'other' };
        await insertItem(rows, later);
        await setHead(rows, later, before.head);
        await finishItem(rows, later.item, { state: 'accepted', integrationId: 'i', duplicateOf: null, reason: null, endedAt: 0 });
      }),
    );
    await world.restart();
    await world.inTime('the receipt', () => stagesOf('v1.xml').includes('cancelled'));
    expect(await stateOf(again)).toBe('cancelled');
    expect(service.creates()).toHaveLength(1);
  });
});

describe('where is my invoice', () => {
  it('by number, by a part of the file name, by state and time, newest first', async () => {
    await world.drop(ACCOUNT, 'Räkning 100%.xml'.normalize('NFC'), 'no document');
    await world.drop(ACCOUNT, 'b.xml', invoice({ id: 'B_1' }));
    await world.receipt(ACCOUNT, 'b.xml', 'accepted');
    world.clock.advance(HOUR_MS);
    const sinceMs = world.clock.now();
    await world.drop(ACCOUNT, 'c.xml', invoice({ id: 'C' }));
    await world.receipt(ACCOUNT, 'c.xml', 'accepted');
    const find = async (search: Omit<Parameters<typeof searchItems>[1], 'limit'>): Promise<string[]> =>
      (await world.operate(({ ledger }) => searchItems(ledger.read, { limit: 10, ...search }))).map(({ fileName }) => fileName);
    expect(await find({})).toHaveLength(3);
    expect((await find({}))[0]).toBe('c.xml');
    expect(await find({ documentId: 'B_1' })).toEqual(['b.xml']);
    expect(await find({ fileName: '100%' })).toHaveLength(1);
    expect(await find({ fileName: '1%0' })).toEqual([]);
    expect(await find({ states: ['refused'] })).toHaveLength(1);
    expect(await find({ sinceMs })).toEqual(['c.xml']);
    expect(await find({ accountRegNo: 'other' })).toEqual([]);
  });

  it('everything known of one, and where its bytes are', async () => {
    const item = await world.drop(ACCOUNT, 'i.xml', invoice());
    await world.receipt(ACCOUNT, 'i.xml', 'accepted');
    await until('the original', () => world.files(ACCOUNT, 'accepted').length === 1);
    const [found, history] = await world.operate(async ({ ledger }) => {
      const one = await itemNamed(ledger, item);
      return [one, await readHistory(ledger.read, one)] as const;
    });
    expect(found).toMatchObject({ state: 'accepted', sender: SELLER, receiver: BUYER, endedAt: world.clock.now(), network: null });
    const [{ at, endedAt } = { at: 0, endedAt: null }] = history.attempts;
    expect(history.attempts).toEqual([{ number: 1, at, endedAt, outcome: 'accepted' }]);
    expect(endedAt).toBeGreaterThanOrEqual(at);
    expect(history.published.map(({ folder, stage }) => `${folder} ${stage}`)).toEqual(['receipts accepted', 'accepted accepted']);
    const path = bytesOf(world.data, found, history);
    expect(path).toContain('/accepted/');
    expect(existsSync(path ?? '')).toBe(true);
    world.clear(ACCOUNT, 'accepted');
    expect(bytesOf(world.data, found, history)).toBeNull();
  });
});

it('what a command owed when it was killed is published by the gateway beside it', async () => {
  service.script = failing;
  await world.drop(ACCOUNT, 'first.xml', invoice({ id: '1' }));
  await until('the first at the service', () => service.creates().length === 1);
  const item = await world.drop(ACCOUNT, 'second.xml', invoice({ id: '2' }));
  // The folder of receipts cannot be had at that moment: the command decides, and does not come to publishing.
  const receipts = join(homeFolder(world.data, ACCOUNT), 'receipts');
  renameSync(receipts, `${receipts}-away`);
  await world.operate((on) => cancelItem(on, item, false));
  renameSync(`${receipts}-away`, receipts);
  expect(stagesOf('second.xml')).toEqual([]);
  await world.inTime('the receipt', () => stagesOf('second.xml').includes('cancelled'));
  expect(stagesOf('second.xml')).toEqual(['cancelled']);
});

it('what the commands of a crashed process left half done is removed', async () => {
  const copy = join(world.data, 'spool', 'receiving', '01ARZ3NDEKTSV4RRFFQ69G5FAV.copy');
  writeFileSync(copy, invoice());
  await world.restart();
  expect(existsSync(copy)).toBe(false);
});

function listOf(integrationId: string, documentId: string): unknown {
  return { status: 'success', data: [{ integrationId, documentId }] };
}
