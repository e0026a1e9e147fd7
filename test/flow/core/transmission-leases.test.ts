// A core that dies while it hands a document over leaves a lease behind.
import { expect, it } from 'vitest';
import { invoice } from '../../support/documents.ts';
import { startSellerBehindHttp } from '../../support/network.ts';
import { until } from '../../support/until.ts';

it('what was being handed over when the core died goes on at its start, not when the lease has run out', async () => {
  const { network, ap, core } = await startSellerBehindHttp();
  ap.mode = () => 503;
  await core.call('/transaction/seller/invoices/outgoing', { body: invoice() });
  await network.wait('a try', () => ap.submissions.length === 1);
  const { ledger } = core.administration;
  const leased = async (): Promise<number> =>
    (await ledger.read.selectFrom('transmissions').select('leased').executeTakeFirstOrThrow()).leased;
  await until('its end', async () => (await leased()) === 0);
  // As if the core had ended in the middle of the next one.
  const leaseUntil = network.clock.now() + 5 * 60_000;
  await ledger.write((rows) => rows.updateTable('transmissions').set({ leased: 1, next_attempt_at: leaseUntil }).execute());
  ap.mode = () => 'take';
  await core.restart();
  // No time passes.
  await until('the hand-over', () => ap.transactions.size === 1);
  expect(ap.submissions).toHaveLength(2);
});
