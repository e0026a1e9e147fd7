// An account whose documents a gateway polls from the stand-in, on one clock.
import { onTestFinished } from 'vitest';
import type { ReceivingChanges } from '#gateway/model/receiving.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { type ManualClock, manualClock } from './clock.ts';
import type { RequestLimit } from './stand-in/limits.ts';
import { type Request, type StandIn, startStandIn, workOf } from './stand-in/stand-in.ts';
import { given } from './world/services.ts';
import { startWorld, type World, type WorldOptions } from './world/world.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const PASSES_WITHIN_MS = 10 * MINUTE;
export const ACCOUNT = 'beta-as';

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

export function poll({ clock, service }: Polled, receiving: ReceivingChanges = {}, options: Partial<WorldOptions> = {}): Promise<World> {
  return startWorld(given(service, workOf(service)), {
    clock,
    accounts: { [ACCOUNT]: 'key-of-beta' },
    hinted: false,
    before: (on) => putAccount(on, ACCOUNT, 'key-of-beta', receiving),
    ...options,
  });
}

/** Numbers of the documents in the outbox, each as often as it is there. */
export const numbers = (world: World): string[] =>
  world
    .files(ACCOUNT, 'outbox')
    .map((name) => name.split('_')[2] ?? '')
    .sort();

/** Lets time pass until it is so. What is asked in a step is answered before the next one. */
export async function passing(world: World, what: string, condition: () => boolean, stepMs = 1_000): Promise<void> {
  const deadlineMs = performance.now() + PASSES_WITHIN_MS;
  do {
    if (performance.now() > deadlineMs) throw new Error(`time passed in vain for: ${what}`);
    await world.pass(stepMs, stepMs);
  } while (!condition());
}

export const pages = (service: StandIn, segment = 'invoices'): Request[] =>
  service.requests.filter(({ path, headers }) => path.endsWith(`/${segment}/incoming`) && headers.accept === 'application/json');

/** The first sweep of a feed ends with a read that finds nothing. */
export const started = (world: World, { requests }: StandIn, read = 'readinvoices'): Promise<unknown> =>
  passing(world, 'the first sweep', () => requests.some(({ path, status }) => path.includes(read) && status === 204), 100);

export const said = (world: World, event: string): boolean => world.logged(event) > 0;
