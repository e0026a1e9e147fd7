// A try whose lease has run out, or whose work was taken over, settles nothing any more.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  claimTransmission,
  endTransmissions,
  releaseTransmissions,
  settleTransmission,
  type TransmissionRow,
} from '#core/ledger/transmissions.ts';
import { buryWaiting, type Due, selectDueAtMost, settleDelivered, settleFailed } from '#core/ledger/webhook-events.ts';
import { startTestCore, type TestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';
import { startSellerBehindHttp } from '../../../support/network.ts';
import { until } from '../../../support/until.ts';

describe('a transmission', () => {
  let core: TestCore;
  let id: string;
  beforeEach(async () => {
    const { network, ap, ...started } = await startSellerBehindHttp();
    ({ core } = started);
    ap.mode = () => 503;
    await core.call('/transaction/seller/invoices/outgoing', { body: invoice() });
    await network.wait('a try', () => ap.submissions[0]);
    await until('its end', async () => (await row()).leased === 0);
    id = (await row()).instance_id;
  });

  const row = (): Promise<TransmissionRow> =>
    core.administration.ledger.read.selectFrom('transmissions').selectAll().executeTakeFirstOrThrow();
  const claim = async (nowMs: number, leaseUntil: number) =>
    core.administration.ledger.write([], (rows) => claimTransmission(rows, id, { nowMs, leaseUntil }));
  const settle = (of: TransmissionRow | undefined) =>
    core.administration.ledger.write([], async (rows) =>
      settleTransmission(rows, of ?? (await row()), { phase: 'ended', nextAttemptAt: null, reason: 'of a try' }),
    );
  const due = async (): Promise<number> => (await row()).next_attempt_at ?? 0;

  it('is worked on by one at a time, and not before its time', async () => {
    const now = await due();
    expect(await claim(now - 1, now + 10)).toBeUndefined();
    expect(await claim(now, now + 10)).toMatchObject({ leased: 1, next_attempt_at: now + 10 });
    expect(await claim(now + 9, now + 20)).toBeUndefined();
    expect(await claim(now + 10, now + 20)).toBeDefined();
  });

  it('is settled by the last try only', async () => {
    const now = await due();
    const first = await claim(now, now + 10);
    const second = await claim(now + 10, now + 20);
    expect(await settle(first)).toBe(false);
    expect(await row()).toMatchObject({ phase: 'waiting', leased: 1, next_attempt_at: now + 20 });
    expect(await settle(second)).toBe(true);
    expect(await row()).toMatchObject({ phase: 'ended', next_attempt_at: null, last_reason: 'of a try' });
    expect(await settle(second)).toBe(false);
  });

  it.each([
    ['replaced', (of: TransmissionRow) => core.administration.ledger.write([], (rows) => endTransmissions(rows, of.sequence, 'replaced'))],
    ['released', (of: TransmissionRow) => core.administration.ledger.write([], (rows) => releaseTransmissions(rows, of.created_at))],
  ])('that was %s meanwhile is not settled', async (_, meanwhile) => {
    const now = await due();
    const first = await claim(now, now + 10);
    if (first) await meanwhile(first);
    const before = await row();
    expect(await settle(first)).toBe(false);
    expect(await row()).toEqual(before);
  });
});

describe('what has ended', () => {
  it('keeps the reason of its end when a later version replaces what it carried', async () => {
    const { core, network, ap } = await startSellerBehindHttp();
    const { ledger } = core.administration;
    ap.mode = () => 503;
    await core.call('/transaction/seller/invoices/outgoing', { body: invoice() });
    await network.wait('a try', () => ap.submissions[0]);
    await ledger.write([], async (rows) => {
      const given = { phase: 'ended', next_attempt_at: null, leased: 0, last_reason: 'The access point gave up.' } as const;
      await rows.updateTable('transmissions').set(given).execute();
    });
    const reasons = () => ledger.read.selectFrom('transmissions').select('last_reason').orderBy('version').execute();
    await core.call('/transaction/seller/invoices/outgoing?overwrite=true', { body: invoice({ note: 'corrected' }) });
    expect((await reasons())[0]).toEqual({ last_reason: 'The access point gave up.' });
  });
});

describe('at a start', () => {
  it('what was worked on is due at once; what waits, and what has ended, stays as it is', async () => {
    const core = await startTestCore();
    onTestFinished(() => core[Symbol.asyncDispose]());
    const { ledger } = core.administration;
    await core.call('/transaction/seller/invoices/outgoing', { body: invoice() });
    const plain = {
      sequence: 1,
      version: 1,
      found: 0,
      attempts: 1,
      access_point_id: null,
      last_reason: null,
      created_at: 0,
      handed_at: null,
    };
    await ledger.write([], async (rows) => {
      const some = [
        { ...plain, instance_id: 'worked on', phase: 'waiting', leased: 1, next_attempt_at: 900 },
        { ...plain, instance_id: 'waits', phase: 'handed', leased: 0, next_attempt_at: 900 },
        { ...plain, instance_id: 'has ended', phase: 'ended', leased: 0, next_attempt_at: null },
      ] as const;
      await rows.insertInto('transmissions').values(some).execute();
      await releaseTransmissions(rows, 500);
    });
    const found = await ledger.read.selectFrom('transmissions').select(['instance_id', 'leased', 'next_attempt_at']).execute();
    expect(found.map(({ instance_id: id, leased, next_attempt_at: at }) => [id, leased, at])).toEqual([
      ['worked on', 0, 500],
      ['waits', 0, 900],
      ['has ended', 0, null],
    ]);
  });
});

describe('an event of a webhook', () => {
  let core: TestCore;
  beforeEach(async () => {
    core = await startTestCore();
    onTestFinished(() => core[Symbol.asyncDispose]());
    const event = { event_id: 'e', webhook_id: 'w', type: 't', body: '{}', created_at: 0, attempts: 0, next_attempt_at: 0 };
    await core.administration.ledger.write([], async (rows) => {
      await rows
        .insertInto('webhooks')
        .values({
          id: 'w',
          scope: 'account',
          partner_reg_no: '',
          account_reg_no: 'seller',
          url: 'https://receiver.test/',
          types: '[]',
          enabled: 1,
          created_at: 0,
          updated_at: 0,
        })
        .execute();
      await rows.insertInto('webhook_events').values(event).execute();
    });
  });

  const all = () => core.administration.ledger.read.selectFrom('webhook_events').selectAll().execute();
  const read = async (): Promise<Due | undefined> => (await selectDueAtMost(10)(core.administration.ledger.read, 'w', 1_000))[0];
  const fail = (due: Due | undefined, atMs: number | null) =>
    core.administration.ledger.write([], async (rows) => due !== undefined && settleFailed(rows, due, 'no answer', atMs, 7));

  it('counts a try that failed once', async () => {
    const due = await read();
    expect(await fail(due, 500)).toBe(true);
    expect(await fail(due, 900)).toBe(false);
    expect(await all()).toMatchObject([{ attempts: 1, next_attempt_at: 500, dead_at: null }]);
    expect(await fail(await read(), null)).toBe(true);
    expect(await all()).toMatchObject([{ attempts: 2, next_attempt_at: null, dead_at: 7 }]);
  });

  it('that was given up stays so, whatever a try comes to, unless that has delivered it', async () => {
    const due = await read();
    await core.administration.ledger.write([], (rows) => buryWaiting(rows, 'w', 'disabled', 10, 5));
    expect(await fail(due, 500)).toBe(false);
    expect(await all()).toMatchObject([{ attempts: 0, next_attempt_at: null, dead_at: 5, last_reason: 'disabled' }]);
    if (due) await core.administration.ledger.write([], (rows) => settleDelivered(rows, due));
    expect(await all()).toEqual([]);
  });
});
