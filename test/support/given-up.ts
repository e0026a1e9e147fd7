// What a core has given up: events for a subscriber, and a document for the network; and a document that it has turned away.
import { onTestFinished } from 'vitest';
import { selectDead } from '#core/ledger/dead-letters.ts';
import { selectTransmissions } from '#core/ledger/transmission-list.ts';
import { insertTurnedAway } from '#core/ledger/turned-away.ts';
import type { TestCore } from './core.ts';
import { invoice, SELLER } from './documents.ts';
import { type SellerBehindHttp, startSellerBehindHttp } from './network.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { until } from './until.ts';
import { ownCore, type WebhookCore } from './webhooks.ts';

export interface GivenUpEvent {
  readonly core: WebhookCore;
  /** Of the subscription, which was disabled by it. */
  readonly id: string;
}

/** Answers that it is gone, until the test has ended. */
async function goneReceiver(): Promise<Receiver> {
  const receiver = await startReceiver(() => ({ status: 410 }));
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  return receiver;
}

export async function giveUpEvent(): Promise<GivenUpEvent> {
  const receiver = await goneReceiver();
  const core = await ownCore();
  const id = await core.subscribe('buyer', `${receiver.url}/path-with-secret`);
  await core.send('1');
  await core.settled();
  return { core, id };
}

export interface GivenUpDocument extends SellerBehindHttp {
  /** Of the transmission. */
  readonly instanceId: string;
  /** Of the seller's subscription, which was disabled by the event that tells of it. */
  readonly webhook: string;
}

const NO_ANSWER = 'The receiving access point does not answer.';

/** An invoice that the access point has taken and could not bring to its receiver, for a reason of its own; whatever comes next it refuses. */
export async function giveUpDocument(id = 'F-7', reason = NO_ANSWER): Promise<GivenUpDocument> {
  const receiver = await goneReceiver();
  const seller = await startSellerBehindHttp();
  const { network, ap, core } = seller;
  const subscribed = await core.call('/account/seller/webhook/configure', {
    method: 'PUT',
    type: 'application/json',
    body: JSON.stringify({ url: receiver.url, types: ['document_delivery'] }),
  });
  await core.call('/transaction/seller/invoices/outgoing', { body: invoice({ id }) });
  await network.wait('the submission', () => ap.submissions.length > 0);
  for (const taken of ap.transactions.values()) Object.assign(taken, { status: 'permanently_failed', errorDetails: reason });
  ap.mode = () => 401;
  const { read } = core.administration.ledger;
  const isFailed = async () => (await selectTransmissions(read, { states: ['failed'], accountRegNo: null, limit: 1 }))[0];
  const { instanceId } = await network.wait('the failure', isFailed, 10_000);
  const webhook: string = subscribed.json.id;
  await until('the event of it to be given up', async () => (await selectDead(read, webhook, 1)).length > 0);
  return { ...seller, instanceId, webhook };
}

/** Has a core keep an invoice that it has turned away. `text`: stands wherever a stranger may write. Returns the id of its envelope. */
export async function turnAway({ administration }: TestCore, text: string, instanceId = 'envelope-1'): Promise<string> {
  const finding = { rule: text, severity: 'fatal', message: text, path: text, line: 2 };
  const kept = {
    instanceId,
    accountRegNo: 'seller',
    sender: text,
    receiver: SELLER,
    family: 'Invoice',
    documentId: text,
    findings: JSON.stringify([finding]),
    document: Buffer.from('<Invoice>\n<cbc:ID>F-9</cbc:ID>\n</Invoice>'),
  };
  await administration.ledger.write([], (rows) => insertTurnedAway(rows, kept, administration.clock.now()));
  return instanceId;
}
