// A core that dies while it hands a document over leaves a lease behind.
import { expect, it } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { startSellerBehindHttp } from '../../../support/network.ts';
import { until } from '../../../support/until.ts';
import { isHandingOver, leaveHandingOver } from '../../../support/world/ledger-rows.ts';

const MINUTE = 60_000;

it('what was being handed over when the core died is asked for at its start, and handed over again only when the access point cannot be busy with it any more', async () => {
  const { network, ap, core } = await startSellerBehindHttp();
  ap.mode = () => 401;
  await core.call('/transaction/seller/invoices/outgoing', { body: invoice() });
  await network.wait('a try', () => ap.submissions.length === 1);
  const { ledger } = core.administration;
  await until('its end', async () => !(await isHandingOver(ledger)));
  // As if the core had ended in the middle of the next one, which may have got through.
  await leaveHandingOver(ledger, network.clock.now() + 5 * MINUTE);
  const asked: string[] = [];
  ap.asked = () => {
    asked.push('status');
    return 'tell';
  };
  ap.mode = () => 'fail';
  await core.restart();
  // No time passes until it is asked for.
  await until('the question', () => asked.length > 0);
  const restartedMs = network.clock.now();
  await network.wait('the hand-over', () => ap.transactions.size === 1, 10_000);
  expect(ap.submissions).toHaveLength(2);
  expect(network.clock.now() - restartedMs).toBeGreaterThan(9 * MINUTE);
});
