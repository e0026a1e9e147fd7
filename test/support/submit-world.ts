// A gateway in front of the stand-in, on one clock that the test moves, and a look into its ledger.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { calm } from './calm.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { type StandIn, type StandInOptions, startStandIn, workOf } from './stand-in/stand-in.ts';

const DROPS_AT_ONCE = 32;

export interface ItemRow {
  readonly item: string;
  readonly state: string;
  readonly fileName: string;
  readonly reason: string | null;
  readonly integrationId: string | null;
  readonly nextAttemptAt: number;
  /** Outcomes of its attempts, oldest first. */
  readonly attempts: readonly (string | null)[];
}

export interface SubmitWorld extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly service: StandIn;
  readonly gateway: TestGateway;
  /** Drops files, a few at a time, in this order. */
  dropAll(accountRegNo: string, files: Iterable<readonly [name: string, bytes: Uint8Array]>): Promise<void>;
  items(): ItemRow[];
  count(state: string): number;
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

  function select(sql: string): Record<string, unknown>[] {
    const ledger = new DatabaseSync(join(gateway.data, 'gateway.db'), { readOnly: true });
    try {
      return ledger.prepare(sql).all();
    } finally {
      ledger.close();
    }
  }

  /** Everything that was begun has been answered, as far as anybody can see from here. */
  async function quiet(): Promise<void> {
    await calm(workOf(service));
  }

  const count = (state: string): number => Number(select(`select count(*) as number from items where state = '${state}'`)[0]?.number);

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
    items: () =>
      select('select * from items order by item').map((row) => ({
        item: String(row.item),
        state: String(row.state),
        fileName: String(row.file_name),
        reason: row.reason === null ? null : String(row.reason),
        integrationId: row.integration_id === null ? null : String(row.integration_id),
        nextAttemptAt: Number(row.next_attempt_at),
        attempts: select(`select outcome from attempts where item = '${row.item}' order by number`).map(({ outcome }) =>
          outcome === null ? null : String(outcome),
        ),
      })),
    async passUntilDone(maxMs, stepMs = 60_000) {
      const beganMs = clock.now();
      for (;;) {
        await quiet();
        if (count('pending') === 0) {
          // A row that says so is seen before it is durable, and its receipt comes after that.
          await quiet();
          return clock.now() - beganMs;
        }
        if (clock.now() - beganMs > maxMs) throw new Error(`${count('pending')} items are pending after ${maxMs / 60_000} minutes`);
        clock.advance(stepMs);
      }
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
