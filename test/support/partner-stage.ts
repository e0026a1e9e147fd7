// A partner at a service that only follows the specification, as tests play it: its gateway, and time that goes on by hand.
import { beforeEach, onTestFinished } from 'vitest';
import type { Receipt } from '#domain/receipt.ts';
import { calm } from './calm.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { invoice } from './documents.ts';
import { type StandIn, startStandIn } from './stand-in/stand-in.ts';
import { until } from './until.ts';
import { KEY, ofPartner, PARTNER, type PartnerOptions, STRANGER } from './world/partner.ts';
import { given } from './world/services.ts';
import { startWorld, type World, type WorldOptions } from './world/world.ts';

export interface PartnerStage {
  /** Of this test. */
  readonly clock: ManualClock;
  readonly service: StandIn;
  /** Once it has started. */
  readonly world: World;
  start(options?: PartnerOptions & WorldOptions): Promise<void>;
  advance(ms: number): void;
  /** Time goes on until the condition is met. */
  inTime<Value>(what: string, condition: () => Value | Promise<Value>, stepMs?: number): Promise<NonNullable<Value>>;
  /** Drops an invoice to a stranger, and waits until it is accepted. */
  accepted(home: string, id: string, sender: string): Promise<Receipt>;
  /** Of the receipts of a file. */
  stages(home: string, name: string): string[];
  tokenRequests(): StandIn['requests'];
  transactions(child: string): StandIn['requests'];
  /** Facts of the gateway's log. */
  events(event: string): unknown[];
}

/** A service for each test of the file, ended after it together with the gateway that the test has started. */
export function partnerStage(): PartnerStage {
  let clock: ManualClock;
  /** The service's own: a gateway's clock that is stepped moves no token's end. */
  let serviceClock: ManualClock;
  let service: StandIn;
  let world: World;

  beforeEach(async () => {
    clock = manualClock();
    serviceClock = manualClock();
    const children = ['child-1', 'child-2', 'child-3'];
    service = await startStandIn({ clock: serviceClock, accounts: { [PARTNER]: { key: KEY, children } } });
    onTestFinished(() => service[Symbol.asyncDispose]());
  });

  const advance = (ms: number): void => {
    clock.advance(ms);
    serviceClock.advance(ms);
  };
  const requestsTo = (path: string) => service.requests.filter((request) => request.path.startsWith(path));

  return {
    get clock() {
      return clock;
    },
    get service() {
      return service;
    },
    get world() {
      return world;
    },
    async start({ key, children, consolidated, ...options } = {}) {
      const partner = { ...(key && { key }), ...(children && { children }), ...(consolidated && { consolidated }) };
      world = await startWorld(given(service), { ...ofPartner(partner), clock, ...options });
    },
    advance,
    inTime: (what, condition, stepMs = 1_000) =>
      until(what, async () => {
        advance(stepMs);
        await calm();
        return condition();
      }),
    async accepted(home, id, sender) {
      await world.drop(home, `${id}.xml`, invoice({ id, sender, receiver: STRANGER }));
      return world.receipt(home, `${id}.xml`, 'accepted');
    },
    stages: (home, name) => world.stages(home, name),
    tokenRequests: () => requestsTo('/token'),
    transactions: (child) => requestsTo(`/transaction/${child}/`),
    events: (event) => world.log.map((line) => JSON.parse(line)).filter((fact) => fact.event === event),
  };
}
