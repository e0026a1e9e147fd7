// A try whose lease has run out, or whose work was taken over, settles nothing any more.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  claimTransmission,
  endTransmissions,
  releaseTransmissions,
  replaceTransmissions,
  settleTransmission,
  type TransmissionRow,
} from '#core/ledger/transmissions.ts';
import { buryWaiting, type Due, insertEvent, selectDueAtMost, settleDelivered, settleFailed } from '#core/ledger/webhook-events.ts';
import { insertWebhook } from '#core/ledger/webhooks.ts';
import { coreOfTest, type TestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';
import { startSellerBehindHttp } from '../../../support/network.ts';
import { until } from '../../../support/until.ts';
import { isHandingOver, owedEvents, setBack, theTransmission } from '../../../support/world/ledger-rows.ts';

const HOLDER = 'a core';

describe('a transmission', () => {
  let core: TestCore;
  let id: string;
  beforeEach(async () => {
    const { network, ap, ...started } = await startSellerBehindHttp();
    ({ core } = started);
    ap.mode = () => 503;
    await core.call('/transaction/seller/invoices/outgoing', { body: invoice() });
    await network.wait('a try', () => ap.submissions[0]);
    await until('its end', async () => !(await isHandingOver(core.administration.ledger)));
    id = (await row()).instance_id;
  });

  const row = (): Promise<TransmissionRow> => theTransmission(core.administration.ledger);
  const release = (nowMs: number) => core.administration.ledger.write([], (rows) => releaseTransmissions(rows, HOLDER, nowMs));
  const claim = async (nowMs: number, heldUntil: number) =>
    core.administration.ledger.write([], (rows) => claimTransmission(rows, id, { holder: HOLDER, nowMs, heldUntil }));
  const settle = (of: TransmissionRow | undefined) =>
    core.administration.ledger.write([], async (rows) =>
      settleTransmission(rows, of ?? (await row()), { state: 'ended', nextAttemptAt: null, reason: 'of a try' }),
    );
  const due = async (): Promise<number> => (await row()).next_attempt_at ?? 0;

  it('is worked on by one at a time, and not before its time', async () => {
    const now = await due();
    expect(await claim(now - 1, now + 10)).toBeUndefined();
    expect(await claim(now, now + 10)).toMatchObject({ held_by: HOLDER, next_attempt_at: now + 10 });
    expect(await claim(now + 9, now + 20)).toBeUndefined();
    expect(await claim(now + 10, now + 20)).toBeDefined();
  });

  it('is settled by the last try only', async () => {
    const now = await due();
    const first = await claim(now, now + 10);
    const second = await claim(now + 10, now + 20);
    expect(await settle(first)).toBe(false);
    expect(await row()).toMatchObject({ state: 'waiting', held_by: HOLDER, next_attempt_at: now + 20 });
    expect(await settle(second)).toBe(true);
    expect(await row()).toMatchObject({ held_by: null, next_attempt_at: null, last_reason: 'of a try' });
    expect(await settle(second)).toBe(false);
  });

  it.each([
    [
      'replaced',
      (of: TransmissionRow) => core.administration.ledger.write([], (rows) => replaceTransmissions(rows, of.sequence, 'replaced')),
    ],
    [
      'released',
      (of: TransmissionRow) => core.administration.ledger.write([], (rows) => releaseTransmissions(rows, HOLDER, of.created_at)),
    ],
  ])('that was %s meanwhile is not settled', async (_, meanwhile) => {
    const now = await due();
    const first = await claim(now, now + 10);
    if (first) await meanwhile(first);
    const before = await row();
    expect(await settle(first)).toBe(false);
    expect(await row()).toEqual(before);
  });

  it('that was worked on is due at once at a start; one that waits, or has ended, stays as it is', async () => {
    const waits = await row();
    await release(500);
    expect(await row()).toEqual(waits);
    const begun = await claim(await due(), (await due()) + 10);
    await release(500);
    expect(await row()).toMatchObject({ held_by: null, next_attempt_at: 500 });
    expect(await settle(begun)).toBe(false);
    expect(await settle(await claim(500, 510))).toBe(true);
    const ended = await row();
    await release(900);
    expect(await row()).toEqual(ended);
  });
});

describe('what has ended', () => {
  it('keeps the reason of its end when a later version replaces what it carried', async () => {
    const { core, network, ap } = await startSellerBehindHttp();
    const { ledger } = core.administration;
    ap.mode = () => 503;
    await core.call('/transaction/seller/invoices/outgoing', { body: invoice() });
    await network.wait('a try', () => ap.submissions[0]);
    await until('its end', async () => !(await isHandingOver(ledger)));
    await ledger.write([], async (rows) => endTransmissions(rows, (await theTransmission(ledger)).sequence, 'The access point gave up.'));
    await core.call('/transaction/seller/invoices/outgoing?overwrite=true', { body: invoice({ note: 'corrected' }) });
    expect((await core.transmissions())[0]?.reason).toBe('The access point gave up.');
  });
});

it('what nobody has said to be sent ends silent, and is done when its receiver responds after all', async () => {
  const { core, network, ap } = await startSellerBehindHttp();
  const { ledger } = core.administration;
  ap.mode = () => 503;
  const { json } = await core.call('/transaction/seller/invoices/outgoing', { body: invoice() });
  await network.wait('a try', () => ap.submissions[0]);
  await until('its end', async () => !(await isHandingOver(ledger)));
  const end = async () => {
    await ledger.write([], async (rows) => endTransmissions(rows, (await theTransmission(ledger)).sequence, null));
    return (await theTransmission(ledger)).state;
  };
  expect(await end()).toBe('silent');
  await setBack(ledger, json.data.integrationId, 'sent');
  expect(await end()).toBe('done');
});

describe('an event of a webhook', () => {
  let core: TestCore;
  beforeEach(async () => {
    core = await coreOfTest();
    await core.administration.ledger.write([], async (rows) => {
      const holder = { scope: 'account', accountRegNo: 'seller' } as const;
      await insertWebhook(rows, holder, { id: 'w', url: 'https://receiver.test/', types: ['new_document'] }, 0);
      await insertEvent(rows, { eventId: 'e', webhookId: 'w', type: 'new_document', body: '{}' }, 0);
    });
  });

  const all = () => owedEvents(core.administration.ledger);
  const read = async (): Promise<Due | undefined> => (await selectDueAtMost(10)(core.administration.ledger.read, 'w', 1_000))[0];
  const fail = (due: Due | undefined, atMs: number | null) =>
    core.administration.ledger.write([], async (rows) => due !== undefined && settleFailed(rows, due, 'no answer', atMs, 7));

  it('counts a try that failed once', async () => {
    const due = await read();
    expect(await fail(due, 500)).toBe(true);
    expect(await fail(due, 900)).toBe(false);
    expect(await all()).toMatchObject([{ attempts: 1, nextAttemptAt: 500, deadAt: null }]);
    expect(await fail(await read(), null)).toBe(true);
    expect(await all()).toMatchObject([{ attempts: 2, nextAttemptAt: null, deadAt: 7 }]);
  });

  it('that was given up stays so, whatever a try comes to, unless that has delivered it', async () => {
    const due = await read();
    await core.administration.ledger.write([], (rows) => buryWaiting(rows, 'w', 'disabled', 10, 5));
    expect(await fail(due, 500)).toBe(false);
    expect(await all()).toMatchObject([{ attempts: 0, nextAttemptAt: null, deadAt: 5, reason: 'disabled' }]);
    if (due) await core.administration.ledger.write([], (rows) => settleDelivered(rows, due));
    expect(await all()).toEqual([]);
  });
});
