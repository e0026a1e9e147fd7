// The service that the API suite talks to, over HTTP only: the one that the environment names, or a core of our own.
//
//   DROPGATE_API_URL                       base address, without a slash at the end
//   DROPGATE_API_SELLER, …_BUYER           two accounts, by accountRegNo
//   DROPGATE_API_SELLER_KEY, …_BUYER_KEY   their API keys
//   DROPGATE_API_SELLER_PARTICIPANT, …     a participant of each, scheme:value; the seller can send to the buyer
import { afterAll, beforeAll } from 'vitest';
import type { FamilyName } from '#domain/family.ts';
import { systemClock } from '#runtime/clock.ts';
import { type Answer, type Call, request, startTestCore } from './core.ts';
import { type Description, expectDescribed } from './described.ts';
import type { DocumentOptions } from './document-options.ts';
import { BUYER, documentOf, SELLER } from './documents.ts';

export interface Party {
  readonly accountRegNo: string;
  readonly key: string;
  readonly participant: string;
}

export interface Service {
  readonly seller: Party;
  readonly buyer: Party;
  readonly description: Description;
  /** The seller speaks unless a key is given; null sends none. Fails when the answer is not as the API description tells. */
  call(path: string, call?: Call): Promise<Answer>;
}

/** The service for the tests of a file, started before them and stopped after them. */
export function useService(): Service {
  let running: { service: Service; stop: () => Promise<void> } | null = null;
  const there = (): Service => {
    if (!running) throw new Error('the service is there within tests only');
    return running.service;
  };
  beforeAll(async () => {
    running = process.env.DROPGATE_API_URL === undefined ? await own() : await given(process.env.DROPGATE_API_URL);
  });
  afterAll(() => running?.stop());
  return {
    get seller() {
      return there().seller;
    },
    get buyer() {
      return there().buyer;
    },
    get description() {
      return there().description;
    },
    call: (path, call) => there().call(path, call),
  };
}

let count = 0;

/** A document id that the service has not seen. */
export function freshId(): string {
  return `T-${Date.now().toString(36)}-${process.pid}-${++count}`;
}

/** The day on which the service answered, `YYYY-MM-DD`. */
export function dayOf({ headers }: Answer): string {
  return new Date(headers.get('date') ?? '').toISOString().slice(0, 10);
}

/** A path of the transaction API. */
export function at({ accountRegNo }: Party, segment: string, rest: string): string {
  return `/transaction/${accountRegNo}/${segment}/${rest}`;
}

/** A document from the seller to the buyer. */
export function documentFor({ seller, buyer }: Service, family: FamilyName, options: DocumentOptions = {}): Uint8Array {
  return documentOf(family, { sender: seller.participant, receiver: buyer.participant, id: freshId(), ...options });
}

async function own(): Promise<{ service: Service; stop: () => Promise<void> }> {
  const core = await startTestCore({ clock: systemClock });
  const seller = { accountRegNo: 'seller', key: core.seller.apiKey, participant: SELLER };
  const buyer = { accountRegNo: 'buyer', key: core.buyer.apiKey, participant: BUYER };
  return { service: await serviceAt(core.core.url, seller, buyer), stop: async () => core[Symbol.asyncDispose]() };
}

async function given(url: string): Promise<{ service: Service; stop: () => Promise<void> }> {
  return { service: await serviceAt(url, partyOf('SELLER'), partyOf('BUYER')), stop: async () => undefined };
}

function partyOf(role: string): Party {
  const setting = (name: string): string => {
    const value = process.env[`DROPGATE_API_${name}`];
    if (!value) throw new Error(`DROPGATE_API_URL is set, so DROPGATE_API_${name} must be: see test/support/service.ts.`);
    return value;
  };
  return { accountRegNo: setting(role), key: setting(`${role}_KEY`), participant: setting(`${role}_PARTICIPANT`) };
}

async function serviceAt(url: string, seller: Party, buyer: Party): Promise<Service> {
  const { json } = await request(`${url}/openapi.json`, {});
  return {
    seller,
    buyer,
    description: json,
    async call(path, call = {}) {
      const ask = () => request(url + path, { key: seller.key, ...call });
      const answer = await waited(await ask(), ask);
      expectDescribed(json, call.method ?? (call.body === undefined ? 'GET' : 'POST'), path, answer);
      return answer;
    },
  };
}

/** As the service asks, whoever has spent the budget waits, and asks again (specification, Limits). */
async function waited(answer: Answer, again: () => Promise<Answer>): Promise<Answer> {
  if (answer.status !== 429) return answer;
  await new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get('retry-after')) * 1_000));
  return again();
}
