// Ten years of an account, in minutes: what has ended goes in its time, so that the ledgers do not grow, and what is owed never does.
import { expect, it } from 'vitest';
import { calm } from '../../../support/calm.ts';
import { manualClock } from '../../../support/clock.ts';
import { coreOfTest } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';
import { retentionRounds } from '../../../support/retention.ts';
import { created, refusal } from '../../../support/scripted-service.ts';
import { dumpTable } from '../../../support/world/ledger-rows.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

const DAY_MS = 86_400_000;
const MONTHS = 120;
const MONTH_DAYS = 30;
const KEPT_DAYS = 400;
/** Beyond its period a row may stay for as long as rounds take when a step of the test is a day. */
const SLACK_MONTHS = 2;

const ACCOUNT = 'acme-ab';

it('of the gateway: accepted and refused files go, held ones stay, each once', async () => {
  const world = await startWorld(
    scripted(({ method, body }) => {
      if (method !== 'POST') return { status: 204 };
      const [, kind] = /<cbc:ID>(good|bad|lost)-/.exec(body.toString()) ?? [];
      if (kind === 'bad') return refusal(422, 'E_VALIDATION', { details: [] });
      return kind === 'lost' ? { status: 500 } : created();
    }),
    { settings: { keepItems: KEPT_DAYS * DAY_MS, keepAccepted: DAY_MS, keepReceipts: DAY_MS } },
  );
  const lost: string[] = [];
  let most = 0;
  for (let month = 0; month < MONTHS; month++) {
    for (const kind of ['good', 'bad']) await world.drop(ACCOUNT, `${kind}-${month}.xml`, invoice({ id: `${kind}-${month}` }));
    if (month % 12 === 0) lost.push(await world.drop(ACCOUNT, `lost-${month}.xml`, invoice({ id: `lost-${month}` })));
    await world.pass(MONTH_DAYS * DAY_MS, DAY_MS);
    const items = await world.items();
    most = Math.max(most, items.length);
    // What has not been settled is there, with its file.
    expect(items.filter(({ item }) => lost.includes(item)).map(({ item }) => item)).toEqual(lost);
    expect(world.spooled(ACCOUNT).length).toBeGreaterThanOrEqual(items.filter(({ state }) => state === 'held').length);
  }
  await retentionRounds(world);
  const keptMonths = Math.ceil(KEPT_DAYS / MONTH_DAYS);
  expect(most).toBeLessThanOrEqual(2 * (keptMonths + SLACK_MONTHS) + lost.length);
  expect(await world.count('held')).toBe(lost.length);
  const sentBefore = await world.administer(({ ledger }) => dumpTable({ gateway: ledger }, 'sent_before'));
  expect(sentBefore.length + (await world.count('accepted'))).toBe(MONTHS);
});

it('of the core: what was read goes, what was not stays in its place, and every number is known', async () => {
  const time = manualClock();
  const core = await coreOfTest({ clock: time, keepMessages: KEPT_DAYS * DAY_MS });
  const list = '/transaction/buyer/invoices/incoming';
  const buyer = { key: core.buyer.apiKey };
  const unread: string[] = [];
  let most = 0;
  const listed = async (): Promise<string[]> => {
    const { status, json } = await core.call(`${list}?limit=1000`, buyer);
    return status === 204 ? [] : json.data.map(({ integrationId }: { integrationId: string }) => integrationId).reverse();
  };
  for (let month = 0; month < MONTHS; month++) {
    for (const at of [0, 1]) await core.call('/transaction/seller/invoices/outgoing', { body: invoice({ id: `${month}-${at}` }) });
    const ids = (await listed()).slice(-2);
    for (const [at, id] of ids.entries()) {
      if (at === 1 && month % 6 === 0) unread.push(id);
      else await core.call(`${list}/readinvoices?integrationId=${id}`, buyer);
    }
    for (let step = 0; step < 40; step++) {
      time.advance(step === 0 ? MONTH_DAYS * DAY_MS : step % 20 === 1 ? 6 * 3_600_000 : 100);
      await calm();
    }
    const now = await listed();
    most = Math.max(most, now.length);
    expect(now.filter((id) => unread.includes(id))).toEqual(unread);
  }
  const keptMonths = Math.ceil(KEPT_DAYS / MONTH_DAYS);
  expect(most).toBeLessThanOrEqual(2 * (keptMonths + SLACK_MONTHS) + unread.length);
  const again = await core.call('/transaction/seller/invoices/outgoing', { body: invoice({ id: '0-0' }) });
  expect(again.status).toBe(409);
  const { ledger } = core.administration;
  const messages = await dumpTable({ core: ledger }, 'messages');
  expect(messages.length + (await dumpTable({ core: ledger }, 'taken')).length).toBe(4 * MONTHS);
});
