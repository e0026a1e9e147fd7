// The world of a test: a gateway in this process on a temporary data folder, a service behind it, and one clock that the test moves. It ends
// with the test that has started it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { sealPath } from '#gateway/disk/paths.ts';
import { startGateway } from '#gateway/gateway.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { type FoundItem, type ItemSearch, readHistory, searchItems } from '#gateway/ledger/searches.ts';
import type { DropFolder } from '#gateway/model/intake.ts';
import type { ItemState } from '#gateway/model/item.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import { type Operator, openOperator } from '#gateway/operate/operator.ts';
import type { Gateway } from '#gateway/options.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { openSeal } from '#runtime/seal.ts';
import { calm } from '../calm.ts';
import { type ManualClock, manualClock } from '../clock.ts';
import { until } from '../until.ts';
import { type GivenSettings, gatewayOptions } from './gateway-settings.ts';
import { type Homes, homesOf } from './homes.ts';
import type { Service, StandsBehind } from './services.ts';

const ITEMS_MAX = 100_000;
const DROPS_AT_ONCE = 32;

export const SESSION = 'session-1';
/** Who renames in tests. */
export const RENAMER = { login: 'erp', session: SESSION };

export interface WorldOptions extends Omit<GivenSettings, 'url'> {
  /** accountRegNo → API key; one account, acme-ab, when left out. */
  readonly accounts?: Readonly<Record<string, string>>;
  /** One of its own unless the test has others that go by it, too. */
  readonly clock?: ManualClock;
  /** Another gateway than ours: one with a defect. */
  readonly start?: typeof startGateway;
  /** What commands have done before it starts. */
  readonly before?: (on: Administration) => Promise<unknown>;
}

export interface World<Kind extends Service = Service> extends Homes, AsyncDisposable {
  readonly data: string;
  readonly clock: ManualClock;
  readonly service: Kind;
  /** Lines of the gateway's log, over all starts. */
  readonly log: string[];
  /** How often the gateway has logged an event. */
  logged(event: string): number;
  gateway(): Gateway;
  stop(): Promise<void>;
  /** Stops it where it runs, and starts it again on the same data. */
  restart(): Promise<void>;
  /** While it is stopped, or runs. */
  addAccount(accountRegNo: string, key: string): Promise<void>;
  /** What an administrator's command would do beside it. */
  administer<Result>(work: (on: Administration) => Promise<Result>): Promise<Result>;
  /** What an operator's command would do beside it. */
  operate<Result>(work: (on: Operator) => Promise<Result>): Promise<Result>;
  /** As `dropgate items` lists them, but the oldest first; all when nothing is searched for. */
  items(search?: Partial<ItemSearch>): Promise<FoundItem[]>;
  /** How many items are in this state. */
  count(state: ItemState): Promise<number>;
  /** Outcomes of the attempts of all items, the oldest item first. */
  attempts(): Promise<(string | null)[]>;
  /** Uploads as an SFTP session would: open, write, CLOSE. Resolves with the item when CLOSE is answered. */
  drop(home: string, name: string, bytes: Uint8Array | string, folder?: DropFolder['folder']): Promise<string>;
  /** Drops files, a few at a time, in this order. */
  dropAll(home: string, files: Iterable<readonly [name: string, bytes: Uint8Array]>): Promise<void>;
  /** Time goes on, in steps, until it is so; whatever is asked in a step is answered before the next one. */
  inTime<Value>(what: string, condition: () => Value | Promise<Value>, stepMs?: number): Promise<NonNullable<Value>>;
  /** Lets so much time pass, in steps as well. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Lets time pass until nothing is pending. Resolves with how long that took; fails when it takes longer than `maxMs`. */
  passUntilDone(maxMs: number, stepMs?: number): Promise<number>;
}

export async function startWorld<Kind extends Service>(stands: StandsBehind<Kind>, options: WorldOptions = {}): Promise<World<Kind>> {
  const { accounts = { 'acme-ab': 'key' }, clock = manualClock() } = options;
  const data = mkdtempSync(join(tmpdir(), 'dropgate-'));
  const homes = homesOf(data);
  const log: string[] = [];
  const seal = await openSeal(sealPath(data), systemRandom);
  const { service, isBusy, end: endService } = await stands({ clock, accounts });
  let running: Gateway | undefined;
  let gateway: Gateway | undefined;
  /** Open from the first look on while the gateway runs, so that a test may look often. */
  let kept: Promise<Ledger> | undefined;

  async function withLedger<Result>(work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
    if (running) {
      kept ??= openGatewayLedger(data);
      return work(await kept);
    }
    const ledger = await openGatewayLedger(data);
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  }
  const administer: World['administer'] = (work) => withLedger((ledger) => work({ data, ledger, seal, clock }));
  const addAccount: World['addAccount'] = (accountRegNo, key) => administer((on) => putAccount(on, accountRegNo, key));
  const items: World['items'] = async (search = {}) =>
    (await withLedger(({ read }) => searchItems(read, { limit: ITEMS_MAX, ...search }))).reverse();
  const count: World['count'] = async (state) => (await items({ states: [state] })).length;

  async function start(): Promise<void> {
    const lines = openLog('info', { write: (line) => void log.push(line) });
    gateway = await (options.start ?? startGateway)(gatewayOptions(data, clock, lines, { ...options, url: service.url }));
    running = gateway;
  }
  async function stop(): Promise<void> {
    const stopped = running;
    running = undefined;
    await (await kept)?.close();
    kept = undefined;
    await stopped?.close();
  }
  let ended = false;
  async function end(): Promise<void> {
    if (ended) return;
    ended = true;
    await stop();
    await endService();
    rmSync(data, { recursive: true, force: true });
  }
  onTestFinished(end);

  const started = (): Gateway => {
    if (!gateway) throw new Error('the gateway has not started');
    return gateway;
  };
  const drop: World['drop'] = async (home, name, bytes, folder = 'inbox') => {
    const { intake } = started();
    const { upload, path } = await intake.open({ home, folder, name, login: 'erp', session: SESSION, resume: false });
    writeFileSync(path, bytes);
    const taken = await intake.commit(upload, { size: Buffer.byteLength(bytes), sha256: null });
    if (taken.state !== 'taken') throw new Error(`${name} is waiting`);
    return taken.item;
  };
  /** Everything that was begun has been answered, as far as anybody can see from here. */
  const quiet = (): Promise<void> => calm(isBusy);

  await administer(async (on) => {
    await options.before?.(on);
    for (const [accountRegNo, key] of Object.entries(accounts)) await putAccount(on, accountRegNo, key);
  });
  await start();
  // Until the service has told its limits, all requests wait for the first one's answer: that is a poll's here, and no document's.
  await quiet();
  return {
    ...homes,
    data,
    clock,
    service,
    log,
    logged: (event) => log.filter((line) => line.includes(`"event":"${event}"`)).length,
    gateway: started,
    stop,
    async restart() {
      await stop();
      await start();
    },
    [Symbol.asyncDispose]: end,
    addAccount,
    administer,
    operate: (work) =>
      withLedger(async (ledger) => {
        await using operator = await openOperator({
          data,
          ledger,
          clock,
          random: systemRandom,
          log: openLog('silent'),
          receipts: 'json',
          archive: null,
        });
        return await work(operator);
      }),
    items,
    count,
    attempts: () =>
      withLedger(async ({ read }) => {
        const histories = await Promise.all((await items()).map((each) => readHistory(read, each)));
        return histories.flatMap(({ attempts }) => attempts.map(({ outcome }) => outcome));
      }),
    drop,
    async dropAll(home, files) {
      const left = [...files].values();
      const lane = async (): Promise<void> => {
        for (const [name, bytes] of left) await drop(home, name, bytes);
      };
      await Promise.all(Array.from({ length: DROPS_AT_ONCE }, lane));
    },
    inTime: (what, condition, stepMs = 1_000) =>
      until(what, async () => {
        clock.advance(stepMs);
        await quiet();
        return condition();
      }),
    async pass(ms, stepMs = 60_000) {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(stepMs, left));
        await quiet();
      }
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
  };
}
