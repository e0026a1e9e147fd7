// What a core has given up: an event for a subscriber, and a document for the network.
import { onTestFinished } from 'vitest';
import { selectTransmissions } from '#core/ledger/transmission-list.ts';
import { invoice } from './documents.ts';
import { type SellerBehindHttp, startSellerBehindHttp } from './network.ts';
import { startReceiver } from './receiver.ts';
import { ownCore, type WebhookCore } from './webhooks.ts';

const HOUR_MS = 3_600_000;

export interface GivenUpEvent {
  readonly core: WebhookCore;
  /** Of the subscription, which was disabled by it. */
  readonly id: string;
}

/** Its receiver answers that it is gone. */
export async function giveUpEvent(): Promise<GivenUpEvent> {
  const receiver = await startReceiver(() => ({ status: 410 }));
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const core = await ownCore();
  const id = await core.subscribe('buyer', `${receiver.url}/path-with-secret`);
  await core.send('1');
  await core.settled();
  return { core, id };
}

export interface GivenUpDocument extends SellerBehindHttp {
  /** Of the transmission. */
  readonly instanceId: string;
}

/** Invoice F-7, which the access point refuses for three days. */
export async function giveUpDocument(): Promise<GivenUpDocument> {
  const seller = await startSellerBehindHttp();
  const { network, ap, core } = seller;
  ap.mode = () => 401;
  await core.call('/transaction/seller/invoices/outgoing', { body: invoice({ id: 'F-7' }) });
  await network.wait('tries', () => ap.submissions.length > 2);
  network.clock.advance(72 * HOUR_MS);
  const { read } = core.administration.ledger;
  const isFailed = async () => (await selectTransmissions(read, { states: ['failed'], accountRegNo: null, limit: 1 }))[0];
  const { instanceId } = await network.wait('the failure', isFailed, HOUR_MS);
  return { ...seller, instanceId };
}
