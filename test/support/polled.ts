// An account whose documents a gateway polls from the stand-in, on one clock.
import { onTestFinished } from 'vitest';
import type { ReceivingChanges } from '#gateway/model/receiving.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { calm } from './calm.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import type { RequestLimit } from './stand-in/limits.ts';
import { type Request, type StandIn, startStandIn, workOf } from './stand-in/stand-in.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const PASSES_WITHIN_MS = 10 * MINUTE;
export const ACCOUNT = 'beta-as';

/** Whom each gateway polls. */
const services = new WeakMap<TestGateway, StandIn>();

export interface Polled {
  readonly clock: ManualClock;
  readonly service: StandIn;
}

export async function serve(limit?: RequestLimit): Promise<Polled> {
  const clock = manualClock();
  const service = await startStandIn({ clock, accounts: { [ACCOUNT]: 'key-of-beta' }, ...(limit && { limit }) });
  onTestFinished(() => service[Symbol.asyncDispose]());
  return { clock, service };
}

export async function poll(
  { clock, service }: Polled,
  receiving: ReceivingChanges = {},
  options: Partial<TestGatewayOptions> = {},
): Promise<TestGateway> {
  const world = await startTestGateway({
    url: service.url,
    clock,
    accounts: { [ACCOUNT]: 'key-of-beta' },
    hinted: false,
    before: (administer) => administer((on) => putAccount(on, ACCOUNT, 'key-of-beta', receiving)),
    ...options,
  });
  onTestFinished(() => world[Symbol.asyncDispose]());
  services.set(world, service);
  return world;
}

/** Numbers of the documents in the outbox, each as often as it is there. */
export const numbers = (world: TestGateway): string[] =>
  world
    .files(ACCOUNT, 'outbox')
    .map((name) => name.split('_')[2] ?? '')
    .sort();

/** Lets time pass until it is so. What is asked in a step is answered before the next one. */
export async function passing(world: TestGateway, what: string, condition: () => boolean, stepMs = 1_000): Promise<void> {
  const service = services.get(world);
  const deadlineMs = performance.now() + PASSES_WITHIN_MS;
  do {
    if (performance.now() > deadlineMs) throw new Error(`time passed in vain for: ${what}`);
    world.clock.advance(stepMs);
    await calm(service && workOf(service));
  } while (!condition());
}

export const pages = (service: StandIn, segment = 'invoices'): Request[] =>
  service.requests.filter(({ path, headers }) => path.endsWith(`/${segment}/incoming`) && headers.accept === 'application/json');

/** The first sweep of a feed ends with a read that finds nothing. */
export const started = (world: TestGateway, { requests }: StandIn, read = 'readinvoices'): Promise<unknown> =>
  passing(world, 'the first sweep', () => requests.some(({ path, status }) => path.includes(read) && status === 204), 100);

export const said = (world: TestGateway, event: string): boolean => world.log.some((line) => line.includes(`"event":"${event}"`));
