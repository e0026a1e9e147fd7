// A gateway in this process, on a temporary data folder, in front of any service.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Receipt } from '#domain/receipt.ts';
import { homeFolder, sealPath } from '#gateway/disk/paths.ts';
import { startGateway } from '#gateway/gateway.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { type FoundItem, type ItemSearch, readHistory, searchItems } from '#gateway/ledger/searches.ts';
import type { Place } from '#gateway/model/intake.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import type { Gateway, GatewayOptions } from '#gateway/options.ts';
import { type Clock, systemRandom } from '#runtime/clock.ts';
import { type Log, openLog } from '#runtime/log.ts';
import { openSeal } from '#runtime/seal.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { LISTENER, SFTP_SETTINGS } from './sftp-settings.ts';
import { until } from './until.ts';

const ITEMS_MAX = 100_000;
export const SESSION = 'session-1';
/** Who renames in tests. */
export const RENAMER = { login: 'erp', session: SESSION };

export interface TestGateway extends AsyncDisposable {
  readonly data: string;
  readonly clock: ManualClock;
  readonly log: string[];
  gateway(): Gateway;
  stop(): Promise<void>;
  /** Stops it where it runs, and starts it again on the same data. */
  restart(): Promise<void>;
  /** While it is stopped, or runs. */
  addAccount(accountRegNo: string, key: string): Promise<void>;
  /** What a command would do beside it. */
  administer<Result>(work: (on: Administration) => Promise<Result>): Promise<Result>;
  /** As `dropgate items` lists them, but the oldest first; all when nothing is searched for. */
  items(search?: Partial<ItemSearch>): Promise<FoundItem[]>;
  /** Outcomes of the attempts of an item, or of all items, the oldest first. */
  attempts(item?: string): Promise<(string | null)[]>;
  /** Uploads as an SFTP session would: open, write, CLOSE. Resolves with the item when CLOSE is answered. */
  drop(accountRegNo: string, name: string, bytes: Uint8Array | string, folder?: Place['folder']): Promise<string>;
  files(accountRegNo: string, folder: string): string[];
  read(accountRegNo: string, folder: string, name: string): Buffer;
  /** The ERP takes everything out of a folder. */
  clear(accountRegNo: string, folder: string): void;
  /** The receipt of a file and stage, as soon as it is there. */
  receipt(accountRegNo: string, file: string, stage: string): Promise<Receipt>;
  spooled(accountRegNo: string): string[];
}

export interface TestGatewayOptions {
  readonly url: string;
  /** One of its own unless the service goes by it, too. */
  readonly clock?: ManualClock;
  readonly accounts: Readonly<Record<string, string>>;
  readonly settings?: Partial<GatewayOptions['settings']>;
  readonly hinted?: boolean;
  readonly hints?: GatewayOptions['hints'];
  /** Files of an account that may wait; a thousand when left out. */
  readonly itemsMax?: number;
  /** Another gateway than ours: one with a defect. */
  readonly start?: typeof startGateway;
  /** What commands have done before it starts. */
  readonly before?: (administer: TestGateway['administer']) => Promise<unknown>;
}

const SFTP: GatewayOptions['sftp'] = {
  listeners: [LISTENER],
  ...SFTP_SETTINGS,
  linger: 60_000,
  partialsKept: 86_400_000,
  itemsPerAccountMax: 1_000,
  unfinishedMax: 2 ** 30,
};

export const SETTINGS: GatewayOptions['settings'] = {
  watch: 'events',
  watched: 200,
  settle: 5_000,
  rescan: 10_000,
  incomplete: 600_000,
  keepAccepted: 30 * 86_400_000,
  keepReceipts: 90 * 86_400_000,
  submits: 64,
  receipts: 'json',
  outbox: 'keep',
  keepOutbox: null,
  pickupAlarm: null,
  archive: null,
  validate: 'core',
  reconcile: 6 * 3_600_000,
  poll: 60_000,
  pollSilent: 600_000,
  requestTimeout: 10_000,
};

/** For a gateway on a folder of the caller's. */
export function gatewayOptions(data: string, clock: Clock, log: Log, options: Omit<TestGatewayOptions, 'accounts'>): GatewayOptions {
  return {
    data,
    environment: 'test',
    service: { url: options.url },
    hinted: options.hinted ?? true,
    ...(options.hints && { hints: options.hints }),
    sftp: { ...SFTP, ...(options.itemsMax && { itemsPerAccountMax: options.itemsMax }) },
    settings: { ...SETTINGS, ...options.settings },
    clock,
    random: systemRandom,
    log,
  };
}

/** `accounts`: accountRegNo → API key. The folder is removed at the end. */
export async function startTestGateway(options: TestGatewayOptions): Promise<TestGateway> {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-'));
  const clock = options.clock ?? manualClock();
  const log: string[] = [];
  const seal = await openSeal(sealPath(data), systemRandom);
  /** Open from the first look on while the gateway runs, so that a test may look often. */
  let kept: Promise<Ledger> | undefined;
  async function administer<Result>(work: (on: Administration) => Promise<Result>): Promise<Result> {
    if (running) {
      kept ??= openGatewayLedger(data);
      return work({ data, ledger: await kept, seal, clock });
    }
    const ledger = await openGatewayLedger(data);
    try {
      return await work({ data, ledger, seal, clock });
    } finally {
      await ledger.close();
    }
  }
  let running = false;
  const addAccount = (accountRegNo: string, key: string): Promise<void> => administer((on) => putAccount(on, accountRegNo, key));
  await options.before?.(administer);
  for (const [accountRegNo, key] of Object.entries(options.accounts)) await addAccount(accountRegNo, key);
  const start = (): Promise<Gateway> =>
    (options.start ?? startGateway)(gatewayOptions(data, clock, openLog('info', { write: (line) => void log.push(line) }), options));
  let gateway = await start();
  running = true;
  async function stop(): Promise<void> {
    if (!running) return;
    running = false;
    await (await kept)?.close();
    kept = undefined;
    await gateway.close();
  }
  const items = async (search: Partial<ItemSearch> = {}): Promise<FoundItem[]> =>
    (await administer(({ ledger }) => searchItems(ledger.read, { limit: ITEMS_MAX, ...search }))).reverse();

  const files = (accountRegNo: string, folder: string): string[] => readdirSync(join(homeFolder(data, accountRegNo), folder)).sort();
  const read = (accountRegNo: string, folder: string, name: string): Buffer =>
    readFileSync(join(homeFolder(data, accountRegNo), folder, name));
  return {
    data,
    clock,
    log,
    gateway: () => gateway,
    async restart() {
      await stop();
      gateway = await start();
      running = true;
    },
    stop,
    addAccount,
    administer,
    items,
    attempts: async (item) =>
      administer(async ({ ledger }) => {
        const histories = (await items()).filter((each) => each.item === (item ?? each.item)).map((each) => readHistory(ledger.read, each));
        return (await Promise.all(histories)).flatMap(({ attempts }) => attempts.map(({ outcome }) => outcome));
      }),
    async drop(accountRegNo, name, bytes, folder = 'inbox') {
      const { intake } = gateway;
      const { upload, path } = await intake.open({ home: accountRegNo, folder, name, login: 'erp', session: SESSION, resume: false });
      writeFileSync(path, bytes);
      const taken = await intake.commit(upload, { size: Buffer.byteLength(bytes), sha256: null });
      if (taken.state !== 'taken') throw new Error(`${name} is waiting`);
      return taken.item;
    },
    files,
    read,
    clear(accountRegNo, folder) {
      for (const name of files(accountRegNo, folder)) rmSync(join(homeFolder(data, accountRegNo), folder, name));
    },
    receipt: (accountRegNo, file, stage) =>
      until(`receipt ${stage} of ${file}`, () => {
        const name = files(accountRegNo, 'receipts').find((each) => each.startsWith(`${file}.`) && each.endsWith(`.${stage}.json`));
        return name && JSON.parse(read(accountRegNo, 'receipts', name).toString());
      }),
    spooled: (accountRegNo) => readdirSync(join(data, 'spool', accountRegNo)),
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
