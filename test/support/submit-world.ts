// A gateway in front of the stand-in, on one clock that the test moves.
import type { ItemState } from '#gateway/model/item.ts';
import { calm } from './calm.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { type StandIn, type StandInOptions, startStandIn, workOf } from './stand-in/stand-in.ts';

const DROPS_AT_ONCE = 32;

export interface SubmitWorld extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly service: StandIn;
  readonly gateway: TestGateway;
  /** Drops files, a few at a time, in this order. */
  dropAll(accountRegNo: string, files: Iterable<readonly [name: string, bytes: Uint8Array]>): Promise<void>;
  /** How many items are in this state. */
  count(state: ItemState): Promise<number>;
  /** Lets so much time pass, in steps; whatever is asked in a step is answered before the next one. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Lets time pass until nothing is pending. Resolves with how long that took; fails when it takes longer than `maxMs`. */
  passUntilDone(maxMs: number, stepMs?: number): Promise<number>;
}

export interface SubmitWorldOptions
  extends Omit<StandInOptions, 'clock'>,
    Pick<TestGatewayOptions, 'settings' | 'start' | 'itemsMax' | 'hinted'> {
  readonly accounts: Readonly<Record<string, string>>;
}

export async function startSubmitWorld({ settings, start, itemsMax, hinted, ...options }: SubmitWorldOptions): Promise<SubmitWorld> {
  const clock = manualClock();
  const service = await startStandIn({ ...options, clock });
  const { accounts } = options;
  const gateway = await startTestGateway({
    url: service.url,
    accounts,
    clock,
    ...(settings && { settings }),
    ...(start && { start }),
    ...(itemsMax && { itemsMax }),
    ...(hinted !== undefined && { hinted }),
  });

  /** Everything that was begun has been answered, as far as anybody can see from here. */
  async function quiet(): Promise<void> {
    await calm(workOf(service));
  }

  const count = async (state: ItemState): Promise<number> => (await gateway.items({ states: [state] })).length;

  async function pass(ms: number, stepMs = 60_000): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(Math.min(stepMs, left));
      await quiet();
    }
  }

  return {
    clock,
    service,
    gateway,
    count,
    pass,
    async dropAll(accountRegNo, files) {
      const left = [...files].values();
      const lane = async (): Promise<void> => {
        for (const [name, bytes] of left) await gateway.drop(accountRegNo, name, bytes);
      };
      await Promise.all(Array.from({ length: DROPS_AT_ONCE }, lane));
    },
    async passUntilDone(maxMs, stepMs = 60_000) {
      const beganMs = clock.now();
      for (;;) {
        await quiet();
        const pending = await count('pending');
        if (pending === 0) {
          // A row that says so is seen before it is durable, and its receipt comes after that.
          await quiet();
          return clock.now() - beganMs;
        }
        if (clock.now() - beganMs > maxMs) throw new Error(`${pending} items are pending after ${maxMs / 60_000} minutes`);
        clock.advance(stepMs);
      }
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
