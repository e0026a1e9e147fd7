// A core whose gateways are in other processes rings once more for what is still unread half a minute later.
import { expect, it } from 'vitest';
import { calm } from '../../../support/calm.ts';
import { manualClock } from '../../../support/clock.ts';
import { startTestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';
import { until } from '../../../support/until.ts';

it('rings once more for what is unread, and not for what was read', async () => {
  const clock = manualClock();
  await using test = await startTestCore({ clock, ringsAgain: true });
  const send = async (id: string): Promise<void> => {
    expect((await test.call('/transaction/seller/invoices/outgoing', { body: invoice({ id }) })).status).toBe(200);
  };
  const rung = () => test.arrivals.filter(([accountRegNo]) => accountRegNo === 'buyer').length;

  const halfMinute = async (): Promise<void> => {
    clock.advance(30_000);
    await calm();
  };

  await send('F-1');
  await halfMinute();
  expect(rung()).toBe(1);
  await halfMinute();
  await until('the second ring', () => rung() === 2);

  await send('F-2');
  const read = await test.call('/transaction/buyer/invoices/incoming/readinvoices?limit=10', { key: test.buyer.apiKey });
  expect(read.json.data).toHaveLength(2);
  await halfMinute();
  await halfMinute();
  expect(rung()).toBe(3);
});
