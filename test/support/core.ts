// A started core with two accounts, for flow tests: a temporary ledger, a free port, a scripted clock, and requests in one line.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Core, type CoreOptions, type CoreReload, startCore } from '#core/core.ts';
import { inspect } from '#core/examination/examine.ts';
import type { Examiner } from '#core/examination/examiner.ts';
import { judgeDelivery, open } from '#core/examination/open.ts';
import { permit, refuseList } from '#core/examination/permit.ts';
import { selectLog } from '#core/ledger/message-statuses.ts';
import { openCoreLedger } from '#core/ledger/open.ts';
import { selectPage } from '#core/ledger/pages.ts';
import { type ListedTransmission, selectTransmissions } from '#core/ledger/transmission-list.ts';
import { TRANSMISSION_STATES } from '#core/model/transmission.ts';
import { type AccountKeys, addAccount, type CoreAdministration } from '#core/operate/administration.ts';
import type { FamilyName } from '#domain/family.ts';
import { type Clock, systemClock, systemRandom } from '#runtime/clock.ts';
import { type Log, openLog } from '#runtime/log.ts';
import { readHead } from '#ubl/head.ts';
import { BUYER, SELLER } from './documents.ts';

export interface TestClock extends Clock {
  nowMs: number;
}

/** Stands still at a day's noon until it is moved; timers are real. */
export function testClock(): TestClock {
  const clock: TestClock = { nowMs: Date.parse('2026-03-02T12:00:00Z'), now: () => clock.nowMs, after: systemClock.after };
  return clock;
}

/** No network beyond the core. */
export const LOCAL_NETWORK: CoreOptions['network'] = {
  kind: 'local',
  sml: null,
  smpAuthorities: null,
  accessPointAuthorities: null,
  country: null,
  outage: 'queue',
  giveUp: 72 * 60 * 60_000,
  resendAfter: 10 * 60_000,
  accessPoint: 'folder',
  folder: null,
  results: 'expected',
  url: null,
  token: null,
  verify: 'refuse',
  watch: 'off',
  watchProfiles: ['peppol-billing'],
  ownAccessPoint: null,
};

export const silent: Log = openLog('silent');

export interface Call {
  readonly method?: string;
  readonly key?: string | null;
  readonly body?: Uint8Array | string;
  readonly type?: string;
  readonly accept?: string;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed JSON body; undefined when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly json: any;
}

export interface TestCore extends AsyncDisposable {
  readonly core: Core;
  readonly clock: TestClock;
  readonly administration: CoreAdministration;
  readonly seller: AccountKeys;
  readonly buyer: AccountKeys;
  readonly arrivals: [accountRegNo: string, family: FamilyName][];
  readonly databasePath: string;
  readonly sealPath: string;
  /** `seller` speaks unless a key is given; null sends none. */
  call(path: string, call?: Call): Promise<Answer>;
  /** What became of an invoice, oldest first: `VERSION STATUS`. */
  log(integrationId: string): Promise<string[]>;
  /** As `dropgate transmission list` shows them, but the oldest first. */
  transmissions(): Promise<ListedTransmission[]>;
  /** Ends the core, and starts it again on the same ledger. */
  restart(): Promise<void>;
}

/** For a core on a folder of the caller's. */
export function coreOptions(folder: string, clock: Clock): CoreOptions {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    tls: null,
    behindProxy: false,
    bodyMax: 1024 * 1024,
    keepMessages: null,
    requests: 100_000,
    window: 60_000,
    outbound: { allow: false, deny: false, ca: null, dns: false },
    webhooks: { keepDead: 30 * 24 * 60 * 60_000 },
    network: LOCAL_NETWORK,
    environment: 'test',
    databasePath: join(folder, 'core.db'),
    sealPath: join(folder, 'keys', 'secret.key'),
    clock,
    random: systemRandom,
    log: silent,
    examiner: IN_PLACE,
    incoming: () => undefined,
    changed: () => undefined,
    turnedAway: () => undefined,
  };
}

/** In this thread: what is examined is the same, and hundreds of tests need no thread each. */
export const IN_PLACE: Examiner = {
  readHead: async ({ body }) => readHead(body),
  async examine(submission) {
    refuseList(submission);
    return permit(await inspect(submission), submission);
  },
  open,
  judge: judgeDelivery,
  close: async () => undefined,
};

export async function startTestCore(overrides: Partial<CoreOptions> = {}, start = startCore): Promise<TestCore> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-core-'));
  const clock = testClock();
  const arrivals: [string, FamilyName][] = [];
  const options: CoreOptions = {
    ...coreOptions(folder, clock),
    incoming: (accountRegNo, family) => arrivals.push([accountRegNo, family]),
    ...overrides,
  };
  const ledger = await openCoreLedger(options.databasePath, options.databaseServer);
  const administration = { ledger, environment: options.environment, clock, random: systemRandom };
  const seller = await addAccount(administration, { accountRegNo: 'seller', name: 'Seller', participants: [SELLER] });
  const buyer = await addAccount(administration, { accountRegNo: 'buyer', name: 'Buyer', participants: [BUYER] });
  let core = await start(options);
  return {
    get core() {
      return core;
    },
    clock,
    administration,
    seller,
    buyer,
    arrivals,
    databasePath: options.databasePath,
    sealPath: options.sealPath,
    call: (path, call = {}) => request(core.url + path, { key: seller.apiKey, ...call }),
    async log(integrationId) {
      const log: string[] = [];
      for (const side of SIDES) {
        const [message] = await selectPage(ledger.read, { ...ANY, ...side, integrationId });
        for (let version = 1; message && version <= message.version; version++) {
          const statuses = await selectLog(ledger.read, { sequence: message.sequence, version });
          log.push(...statuses.map(({ status }) => `${version} ${status}`));
        }
      }
      return log;
    },
    transmissions: async () =>
      (await selectTransmissions(ledger.read, { states: TRANSMISSION_STATES, accountRegNo: null, limit: 1_000 })).sort(
        (one, other) => one.createdAt - other.createdAt || one.version - other.version,
      ),
    async restart() {
      await core.close();
      core = await start(options);
    },
    async [Symbol.asyncDispose]() {
      await core.close();
      await ledger.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Has the core go by these settings, and by those of tests otherwise. */
export function reloadCore({ core }: Pick<TestCore, 'core'>, changes: Partial<CoreReload>): void {
  const { tls, behindProxy, requests, webhooks, keepMessages, outbound, network } = coreOptions('', systemClock);
  core.reload({ tls, behindProxy, requests, webhooks, keepMessages, outbound, network, ...changes });
}

/** The same, until the test has ended. */
export async function coreOfTest(overrides: Partial<CoreOptions> = {}): Promise<TestCore> {
  const core = await startTestCore(overrides);
  onTestFinished(() => core[Symbol.asyncDispose]());
  return core;
}

const SIDES = [
  { accountRegNo: 'seller', direction: 'outgoing' },
  { accountRegNo: 'buyer', direction: 'incoming' },
] as const;
/** All invoices of a side. */
const ANY = {
  family: 'Invoice',
  marks: 'any',
  limit: 1,
  offset: 0,
  documentId: null,
  createdFrom: null,
  createdBefore: null,
  updatedFrom: null,
  updatedBefore: null,
} as const;

export async function request(url: string, call: Call): Promise<Answer> {
  const response = await fetch(url, {
    method: call.method ?? (call.body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(call.key === null || call.key === undefined ? {} : { authorization: `ApiKey ${call.key}` }),
      ...(call.body === undefined ? {} : { 'content-type': call.type ?? 'application/xml' }),
      ...(call.accept === undefined ? {} : { accept: call.accept }),
      ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
      ...call.headers,
    },
    ...(call.body === undefined ? {} : { body: typeof call.body === 'string' ? call.body : new Uint8Array(call.body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  return { status: response.status, headers: response.headers, bytes, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
