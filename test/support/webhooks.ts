// A core whose webhooks reach receivers on loopback, by the test authority, under a clock that moves only when told to.
import { onTestFinished } from 'vitest';
import type { CoreOptions } from '#core/core.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { addAccount, type CoreAdministration } from '#core/operate/administration.ts';
import { systemRandom } from '#runtime/clock.ts';
import { authority } from './authority.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { type Answer, startTestCore, type TestCore } from './core.ts';
import { invoice } from './documents.ts';
import { type Hit, type Receiver, startReceiver } from './receiver.ts';
import { until } from './until.ts';
import { type OwedEvent, owedEvents } from './world/ledger-rows.ts';

export interface WebhookCore {
  readonly test: TestCore;
  readonly clock: ManualClock;
  readonly ledger: Ledger;
  /** Subscribes an account; returns the id of the subscription. */
  subscribe(accountRegNo: 'seller' | 'buyer', url: string, types?: readonly string[]): Promise<string>;
  call(accountRegNo: 'seller' | 'buyer', method: string, rest: string, body?: unknown): Promise<Answer>;
  /** Sends an invoice from the seller to the buyer; returns the answer's integrationId. */
  send(id: string): Promise<string>;
  /** Events that were not delivered, in the order in which they happened. */
  owed(): Promise<OwedEvent[]>;
  /** Resolves when no try runs and nothing is due. */
  settled(): Promise<void>;
  /** Moves the clock to when something is due next; false when nothing waits. */
  toNext(): Promise<boolean>;
}

export const OUTBOUND = { allow: ['127.0.0.0/8'], deny: false, dns: false } as const;

export async function startWebhookCore(overrides: Partial<CoreOptions> = {}): Promise<WebhookCore & AsyncDisposable> {
  const clock = manualClock();
  const test = await startTestCore({ clock, outbound: { ...OUTBOUND, ca: authority().ca }, ...overrides });
  const { ledger } = test.administration;
  const keys = { seller: test.seller.apiKey, buyer: test.buyer.apiKey };
  const call: WebhookCore['call'] = (accountRegNo, method, rest, body) =>
    test.call(`/account/${accountRegNo}/webhook/${rest}`, {
      method,
      key: keys[accountRegNo],
      type: 'application/json',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    test,
    clock,
    ledger,
    call,
    async subscribe(accountRegNo, url, types) {
      const answer = await call(accountRegNo, 'PUT', 'configure', { url, ...(types && { types }) });
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json.id;
    },
    async send(id) {
      const answer = await test.call('/transaction/seller/invoices/outgoing', { body: invoice({ id }) });
      if (answer.status !== 200) throw new Error(answer.text);
      return answer.json.data.integrationId;
    },
    owed: () => owedEvents(ledger),
    settled: () => settled(ledger, clock),
    async toNext() {
      await settled(ledger, clock);
      const atMs = await nextAt(ledger);
      if (atMs === null) return false;
      clock.advance(Math.max(atMs - clock.now(), 0));
      return true;
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

/** The same, until the test has ended. */
export async function ownCore(overrides: Partial<CoreOptions> = {}): Promise<WebhookCore> {
  const core = await startWebhookCore(overrides);
  onTestFinished(() => core[Symbol.asyncDispose]());
  return core;
}

/** A receiver that takes everything, until the test has ended. */
export async function ownReceiver(): Promise<Receiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  return receiver;
}

/** What has come, as soon as it is so many. */
export async function hitsOf(receiver: Receiver, count: number): Promise<Hit[]> {
  await until(`${count} deliveries`, () => receiver.hits.length >= count);
  return receiver.hits;
}

async function settled(ledger: Ledger, clock: ManualClock): Promise<void> {
  await until('every try has ended', async () => (await owedEvents(ledger, clock.now())).length === 0);
}

/** When something is due next; null when nothing waits. */
export async function nextAt(ledger: Ledger): Promise<number | null> {
  const times = (await owedEvents(ledger)).flatMap(({ dueAt }) => dueAt ?? []);
  return times.length === 0 ? null : times.reduce((first, at) => Math.min(first, at));
}

/** One more account, without participants; it can receive nothing, and is there to subscribe. */
export async function addSubscriber(on: CoreAdministration, accountRegNo: string): Promise<void> {
  await addAccount({ ...on, random: systemRandom }, { accountRegNo, name: accountRegNo, participants: [] });
}
