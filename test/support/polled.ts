// An account whose documents a gateway polls from the stand-in, on one clock.
import { onTestFinished } from 'vitest';
import { putAccount } from '#gateway/accounts/administration.ts';
import type { ReceivingChanges } from '#gateway/accounts/receiving.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import type { RequestLimit } from './stand-in/limits.ts';
import { type Request, type StandIn, startStandIn } from './stand-in/stand-in.ts';
import { until } from './until.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
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
  return world;
}

/** Numbers of the documents in the outbox, each as often as it is there. */
export const numbers = (world: TestGateway): string[] =>
  world
    .files(ACCOUNT, 'outbox')
    .map((name) => name.split('_')[2] ?? '')
    .sort();

/** Lets time pass until it is so. */
export const passing = (world: TestGateway, what: string, condition: () => boolean, stepMs = 1_000): Promise<unknown> =>
  until(
    what,
    () => {
      world.clock.advance(stepMs);
      return condition();
    },
    20_000,
  );

export const pages = (service: StandIn, segment = 'invoices'): Request[] =>
  service.requests.filter(({ path, headers }) => path.endsWith(`/${segment}/incoming`) && headers.accept === 'application/json');

/** The first sweep of a feed ends with a read that finds nothing. */
export const started = (world: TestGateway, { requests }: StandIn, read = 'readinvoices'): Promise<unknown> =>
  passing(world, 'the first sweep', () => requests.some(({ path, status }) => path.includes(read) && status === 204), 100);

export const said = (world: TestGateway, event: string): boolean => world.log.some((line) => line.includes(`"event":"${event}"`));
