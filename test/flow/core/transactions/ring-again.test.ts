// A core whose gateways are in other processes rings once more for what is still unread half a minute later.
import { expect, it } from 'vitest';
import { calm } from '../../../support/calm.ts';
import { manualClock } from '../../../support/clock.ts';
import { startTestCore, type TestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';
import { defectiveCore } from '../../../support/stand-in/defective.ts';
import { until } from '../../../support/until.ts';

const clock = manualClock();

function played(test: TestCore) {
  return {
    async send(id: string): Promise<void> {
      expect((await test.call('/transaction/seller/invoices/outgoing', { body: invoice({ id }) })).status).toBe(200);
    },
    rung: () => test.arrivals.filter(([accountRegNo]) => accountRegNo === 'buyer').length,
    async halfMinute(): Promise<void> {
      clock.advance(30_000);
      await calm();
    },
  };
}

/** An invoice is unread for a minute; rung for once so far. */
async function unreadForAMinute(test: TestCore) {
  const play = played(test);
  await play.send('F-1');
  await play.halfMinute();
  expect(play.rung()).toBe(1);
  await play.halfMinute();
  return play;
}

it('rings once more for what is unread, and not for what was read', async () => {
  await using test = await startTestCore({ clock, ringsAgain: true });
  const { send, rung, halfMinute } = await unreadForAMinute(test);
  await until('the second ring', () => rung() === 2);

  await send('F-2');
  const read = await test.call('/transaction/buyer/invoices/incoming/readinvoices?limit=10', { key: test.buyer.apiKey });
  expect(read.json.data).toHaveLength(2);
  await halfMinute();
  await halfMinute();
  expect(rung()).toBe(3);
});

it('a seeded defect is found: none is rung for again', async () => {
  const start = await defectiveCore({
    file: 'transactions/ring-again.ts',
    from: 'incoming(accountRegNo, family, integrationId);',
    to: 'void [incoming, accountRegNo, family, integrationId];',
  });
  await using test = await startTestCore({ clock, ringsAgain: true }, start);
  const { rung } = await unreadForAMinute(test);
  expect(rung()).toBe(1);
});

it('rings for what came shortly before its start, which the core before it may have left unrung, once', async () => {
  await using test = await startTestCore({ clock, ringsAgain: true });
  const { send, rung, halfMinute } = played(test);
  await send('OLD');
  const read = await test.call('/transaction/buyer/invoices/incoming/readinvoices?limit=10', { key: test.buyer.apiKey });
  expect(read.json.data).toHaveLength(1);
  await test.restart();
  await halfMinute();
  await halfMinute();
  expect(rung()).toBe(1);

  await send('F-1');
  clock.advance(1_000);
  await test.restart();
  await halfMinute();
  await until('the ring', () => rung() === 3);
  await halfMinute();
  await halfMinute();
  expect(rung()).toBe(3);

  clock.advance(9 * 60_000);
  await test.restart();
  await halfMinute();
  await halfMinute();
  expect(rung()).toBe(3);
});
