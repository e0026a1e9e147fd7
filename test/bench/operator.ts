// What an operator waits for beside a daemon with a million items and transmissions, on both engines; and what the daemon pays for being watched.
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { askDaemon } from '#cli/control/client.ts';
import { openCoreLedger } from '#core/ledger/open.ts';
import type { PostgresPlace } from '#engines/postgres/place.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { configure, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { connectedTo, newPostgresDatabase } from '../support/postgres.ts';
import { postgresPrograms, startPostgres } from '../support/postgres-server.ts';
import { ledgerFile } from '../support/world/ledger-files.ts';
import { fillTransmissions } from '../support/world/ledger-rows.ts';
import { AS_INSTALLED } from './as-installed.ts';
import { p50And99, table } from './figures.ts';
import { fireSteadily } from './http-load.ts';
import { fillBeside, fillYear, numberOf, textsOf, YEAR_MS } from './operator-fill.ts';
import { addOperator, type Exchanged, exchange, openPage, PAGES } from './operator-pages.ts';
import { plansOf } from './operator-plans.ts';
import type { BenchOptions } from './options.ts';
import { sellerAndBuyers } from './parties.ts';
import { type Figure, numbering } from './pipeline-daemons.ts';
import { afterClose, type Load, settled, timesOf, uploadAll } from './pipeline-load.ts';
import { openSshLanes } from './pipeline-ssh.ts';
import { cpuSeconds } from './process-cost.ts';

const BUYERS = 20;
const LANES = 8;
/** Requests a second of all that watch a daemon. */
const WATCHED_PER_SECOND = 50;
const WATCHED_PATHS = ['/metrics', '/readyz', '/livez'] as const;
/** Uploads a second meanwhile. */
const UPLOADS_PER_SECOND = 50;
const TURNS = 3;
/** Of a core, what a process at rest takes at the most. */
const STILL_SHARE = 0.05;

interface Size {
  readonly items: number;
  readonly times: number;
  readonly restsMs: number;
  /** PostgreSQL looks once in it whether there are rows to be gone over. */
  readonly stillMs: number;
  readonly documents: number;
}

type Print = (line: string) => void;

export async function benchOperator({ short, print }: BenchOptions): Promise<void> {
  const size: Size = short
    ? { items: 20_000, times: 20, restsMs: 2_000, stillMs: 2_000, documents: 100 }
    : { items: 1_000_000, times: 200, restsMs: 20_000, stillMs: 60_000, documents: 1_000 };
  await using postgres = postgresPrograms() === undefined ? null : await startPostgres();
  const server = postgres && (await newPostgresDatabase({ server: postgres.server })).place;
  const other = server && postgres && connectedTo(server, postgres.server);
  const { url, ...reached } = other?.config.database ?? { url: null };
  const env = { ...AS_INSTALLED.env, ...other?.env };
  await using daemon = await startDaemon({ accounts: sellerAndBuyers(BUYERS), ...AS_INSTALLED, env, config: { database: reached } });
  await daemon.stop();
  const ids = await filled(daemon, size.items);
  await daemon.start();
  await addOperator(daemon);
  const exchanged = await exchange(daemon);
  print(`  beside a daemon with ${size.items} items and as many transmissions of a year on SQLite, p50 / p99`);
  print(table(await answersOf(daemon, { ids, exchanged }, size)));
  await reportPlans(daemon, ids, print);
  await reportWatched(daemon, size, print);
  await daemon.stop();
  if (url === null) return print('\n  on PostgreSQL: not measured, it is not installed');
  await moveTo(daemon, url, reached);
  // It goes over the rows that have come.
  await untilStill(postgres?.pid ?? daemon.pid, size.stillMs);
  print('\n  the same on PostgreSQL, p50 / p99');
  print(table(await answersOf(daemon, { ids, exchanged }, size)));
  await reportPlans(daemon, ids, print, server ?? undefined);
  await daemon.stop();
}

/** As an administrator moves the ledgers. */
async function moveTo(daemon: TestDaemon, url: string, reached: object): Promise<void> {
  const { status, err } = await daemon.cli(['copy-ledgers', '--to', url]);
  if (status !== 0) throw new Error(`the ledgers could not be copied: ${err}`);
  configure(daemon, { database: { ...reached, url } });
  await daemon.start();
}

async function reportPlans({ data }: TestDaemon, ids: readonly string[], print: Print, server?: PostgresPlace): Promise<void> {
  const ledger = await openGatewayLedger(data, server);
  try {
    print('\n  the indexes that are taken');
    print(table(await plansOf(ledger, ids)));
  } finally {
    await ledger.close();
  }
}

/** Each of the items, and as many transmissions. */
async function filled({ data }: TestDaemon, items: number): Promise<string[]> {
  const untilMs = Date.now();
  const core = await openCoreLedger(ledgerFile(data, 'core'));
  try {
    await fillTransmissions(core, { count: items, stepMs: Math.floor(YEAR_MS / items), untilMs });
    await fillBeside(core, 'seller', invoice(), untilMs);
  } finally {
    await core.close();
  }
  const ledger = await openGatewayLedger(data);
  try {
    return await fillYear(ledger, items, untilMs);
  } finally {
    await ledger.close();
  }
}

interface Asked {
  readonly ids: readonly string[];
  readonly exchanged: Exchanged;
}

/** How long each operation takes, over the socket that the commands use; the pages and the metrics. */
async function answersOf(daemon: TestDaemon, { ids, exchanged }: Asked, { items, times }: Size): Promise<Figure[]> {
  const { data, adminUrl } = daemon;
  const show = await openPage(daemon);
  const ask = (name: string, input: object): Promise<unknown> => askDaemon({ data, node: null }, name, input, () => undefined);
  const today = new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
  const found = Object.entries(textsOf(ids)).map(
    ([name, textOf]) => [`find: ${name}`, (turn: number) => ask('find', { text: textOf((turn * 7_919) % items), limit: 50 })] as const,
  );
  const sentAt = (at: number): string => new Date(Date.now() - YEAR_MS * (1 - at / items)).toISOString();
  const shown = Object.entries(PAGES).map(([name, pathOf]) => {
    const of = (at: number): Promise<void> =>
      show(pathOf({ ...exchanged, at, id: ids[at] ?? '', number: numberOf(at), sentAt: sentAt(at) }));
    return [name, (turn: number) => of((turn * 7_919) % items)] as const;
  });
  const asked = [
    ...found,
    ...shown,
    ['status', () => ask('status', { today })],
    ['connections', () => ask('connections', {})],
    ['metrics', async () => (await request(`${adminUrl}/metrics`)).body.text()],
  ] as const;
  const figures: Figure[] = [];
  for (const [name, run] of asked) {
    const took: number[] = [];
    for (let turn = 0; turn < times; turn++) {
      const beganMs = performance.now();
      await run(turn);
      took.push(performance.now() - beganMs);
    }
    figures.push([name, p50And99(took)]);
  }
  return figures;
}

/** What the daemon pays at rest, and what documents that pass meanwhile hear of it, in turns with and without. */
async function reportWatched(daemon: TestDaemon, { restsMs, documents }: Size, print: Print): Promise<void> {
  const atRest = { alone: await restingCpu(daemon, restsMs), watched: await watched(daemon, () => restingCpu(daemon, restsMs)) };
  using ssh = await openSshLanes(daemon, LANES);
  const next = numbering(0);
  const upload = async (): Promise<number[]> => {
    const load = next({ documents, buyers: BUYERS, atOnce: LANES, perSecond: UPLOADS_PER_SECOND });
    return acceptedAfter(daemon, load, ssh.lanes);
  };
  const accepted: { alone: number[]; watched: number[] } = { alone: [], watched: [] };
  for (let turn = 0; turn < TURNS; turn++) {
    accepted.alone.push(...(await upload()));
    accepted.watched.push(...(await watched(daemon, upload)));
  }
  print(`\n  ${WATCHED_PER_SECOND} requests a second to the admin listener`);
  print(
    table([
      ['CPU of the daemon at rest, without and with them', `${percent(atRest.alone)}, ${percent(atRest.watched)} of a core`],
      [`CLOSE answered → accepted, ${UPLOADS_PER_SECOND} uploads a second, without`, p50And99(accepted.alone)],
      ['with them, in turns', p50And99(accepted.watched)],
    ]),
  );
}

async function watched<Result>({ adminUrl }: TestDaemon, work: () => Promise<Result>): Promise<Result> {
  const shots = WATCHED_PATHS.map((path) => ({ method: 'GET', path, headers: {} }) as const);
  const load = fireSteadily(adminUrl, shots, WATCHED_PER_SECOND);
  const result = await work();
  await load.stop();
  return result;
}

/** Resolves when a process takes next to nothing of a core. */
async function untilStill(pid: number, spanMs: number): Promise<void> {
  while ((await restingCpu({ pid }, spanMs)) > STILL_SHARE);
}

/** A share of a core. */
async function restingCpu({ pid }: Pick<TestDaemon, 'pid'>, restsMs: number): Promise<number> {
  const before = cpuSeconds(pid);
  await pause(restsMs);
  return ((cpuSeconds(pid) - before) * 1_000) / restsMs;
}

async function acceptedAfter(daemon: TestDaemon, load: Load, lanes: Parameters<typeof uploadAll>[1]): Promise<number[]> {
  const uploads = await uploadAll(load, lanes);
  await settled(daemon, load);
  return afterClose(uploads, timesOf(daemon, load, uploads).acceptedMs);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
