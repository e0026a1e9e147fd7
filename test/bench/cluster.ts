// Several gateways as nodes on PostgreSQL and Redis, beside one process on SQLite: what a document costs at a fixed rate below what the machine can do, and how late
// it is accepted, also where the database is further away.
import pg from 'pg';
import { postgresPrograms } from '../support/postgres-server.ts';
import { hasRedis } from '../support/redis-server.ts';
import { allCpu, type Counts, countsOf, type Servers, spent, watchLocks } from './cluster-cost.ts';
import { type Daemons, startAlone, startNodes } from './cluster-daemons.ts';
import { type ClusterLoad, openSellers, PAIRS, type Sellers, settled, timesOf } from './cluster-load.ts';
import { columns, median, p50And99, percentile, type Rows, table } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { speedsOf } from './pipeline-daemons.ts';
import { afterClose, DOCUMENT_BYTES, type Times } from './pipeline-load.ts';

const NODES = [1, 2, 4];
/** Each way. */
const FAR_MS = 0.5;
const WANTED = { toSqlite: 3.5, fourToOne: 1.25, acceptedMs: 150 };
const ASKED = 200;

interface Size {
  readonly perSecond: number;
  readonly seconds: number;
  /** For each gateway: what V8 has seen often it runs quicker. */
  readonly warmUp: number;
}

const SHORT: Size = { perSecond: 20, seconds: 5, warmUp: 100 };
/** At this rate four nodes, their servers and the clients do not fill two cores. */
const WHOLE: Size = { perSecond: 30, seconds: 30, warmUp: 1_500 };

interface Run {
  readonly name: string;
  /** CPU in ms. */
  readonly cost: Counts;
  readonly times: Times;
}

interface FarRun extends Run {
  readonly waitedMs: number;
  readonly askedMs: number;
}

export async function benchCluster({ short, rate, print }: BenchOptions): Promise<void> {
  if (postgresPrograms() === undefined || !hasRedis) return print('  not measured: PostgreSQL or Redis is not installed');
  const usual = short ? SHORT : WHOLE;
  const size = { ...usual, perSecond: rate ?? usual.perSecond };
  const { perSecond, seconds, warmUp } = size;
  print(
    `  invoices of ${DOCUMENT_BYTES} bytes from ${PAIRS} accounts to ${PAIRS} others, ${perSecond} a second for ${seconds} s, after ${warmUp} for each gateway to warm up`,
  );
  print('  gateways, a core, PostgreSQL (both ledgers), Redis and the clients on this machine; gateways reach PostgreSQL through a relay');
  const runs: Run[] = [];
  const far: FarRun[] = [];
  runs.push(await alone(size));
  for (const count of NODES) {
    const { near, away } = await onNodes(count, size);
    runs.push(near);
    far.push(away);
  }
  print(`\n  CPU each is that of a document, in ms; times are p50 / p99`);
  print(columns(runs, ROWS));
  print(`\n  the same, each way between gateways and PostgreSQL ${FAR_MS} ms longer`);
  print(columns(far, [...ROWS, ...FAR_ROWS]));
  print(`\n${table(verdicts(runs, far))}`);
}

async function alone({ seconds, perSecond, warmUp }: Size): Promise<Run> {
  await using daemons = await startAlone();
  using sellers = await openSellers(daemons.doors);
  await uploaded(daemons, sellers, { documents: warmUp, from: 0 });
  return await measured('SQLite', daemons, sellers, { documents: seconds * perSecond, perSecond, from: warmUp });
}

async function onNodes(count: number, { seconds, perSecond, warmUp }: Size): Promise<{ readonly near: Run; readonly away: FarRun }> {
  const documents = seconds * perSecond;
  await using nodes = await startNodes(count);
  await nodes.sharedOut(2 * PAIRS);
  using sellers = await openSellers(nodes.doors);
  const from = warmUp * count;
  await uploaded(nodes, sellers, { documents: from, from: 0 });
  const name = `${count} ${count === 1 ? 'node' : 'nodes'}`;
  const near = await measured(name, nodes, sellers, { documents, perSecond, from });
  const { servers } = nodes;
  servers.far.delay(FAR_MS);
  const askedMs = await asked(servers);
  await using locks = await watchLocks(servers);
  const away = await measured(name, nodes, sellers, { documents, perSecond, from: from + documents });
  return { near, away: { ...away, askedMs, waitedMs: locks.waitedMs / documents } };
}

async function measured(name: string, daemons: Daemons, sellers: Sellers, load: ClusterLoad): Promise<Run> {
  const before = await countsOf(daemons);
  const times = await uploaded(daemons, sellers, load);
  return { name, cost: spent(before, await countsOf(daemons), load.documents), times };
}

async function uploaded({ doors }: Daemons, sellers: Sellers, load: ClusterLoad): Promise<Times> {
  const [homes] = doors;
  if (!homes) throw new RangeError('there is no gateway');
  const uploads = await sellers.upload(load);
  await settled(homes, load);
  return timesOf(homes, load, uploads);
}

/** How long the shortest statement takes through the relay. */
async function asked({ postgres: { server }, far: { host, port } }: Servers): Promise<number> {
  const client = new pg.Client({ host, port, user: 'postgres', password: server.password, database: 'postgres' });
  await client.connect();
  const took: number[] = [];
  for (let at = 0; at < ASKED; at++) {
    const before = performance.now();
    await client.query('select 1');
    took.push(performance.now() - before);
  }
  await client.end();
  return median(took);
}

const cpu =
  (of: (cost: Counts) => number) =>
  ({ cost }: Run) =>
    (of(cost) * 1_000).toFixed(2);
const accepted = ({ times }: Run): number[] => afterClose(times, times.acceptedMs);

const ROWS: Rows<Run> = [
  [
    'uploaded, accepted, published',
    (run) =>
      `${speedsOf(run.times, run.times.closedMs.length)
        .map((each) => each.toFixed(0))
        .join(', ')} /s`,
  ],
  ['CPU each, gateways (alone: all of it)', cpu(({ gateways }) => gateways)],
  ['CPU each, core', cpu(({ cores }) => cores)],
  ['CPU each, PostgreSQL', cpu(({ postgres }) => postgres)],
  ['CPU each, Redis', cpu(({ redis }) => redis)],
  ['CPU each, together', cpu(allCpu)],
  ['round trips of gateways, each', ({ cost }) => cost.roundTrips.toFixed(1)],
  ['statements of all, each', ({ cost }) => cost.statements.toFixed(1)],
  ['WAL, each', ({ cost }) => `${(cost.walBytes / 1_024).toFixed(1)} KiB`],
  ['rings through Redis, each', ({ cost }) => cost.rings.toFixed(2)],
  ['CLOSE sent → answered', ({ times }) => p50And99(times.closingMs)],
  ['CLOSE answered → accepted', (run) => p50And99(accepted(run))],
  ["CLOSE answered → receiver's outbox", ({ times }) => p50And99(afterClose(times, times.publishedMs))],
];
const FAR_ROWS: Rows<FarRun> = [
  ['waited for locks, each, all sessions', ({ waitedMs }) => `${waitedMs.toFixed(2)} ms`],
  ['the shortest statement takes', ({ askedMs }) => `${askedMs.toFixed(2)} ms`],
];

function verdicts(runs: readonly Run[], far: readonly FarRun[]): [string, string][] {
  const [sqlite = Number.NaN, one = Number.NaN, ...more] = runs.map(({ cost }) => allCpu(cost));
  const four = more.at(-1) ?? Number.NaN;
  const p99 = far.map((run) => percentile(accepted(run), 99));
  const times = (ratio: number, wanted: number): string => `${ratio.toFixed(2)} × (wanted ≤ ${wanted})`;
  return [
    ['all CPU together, one node to SQLite', times(one / sqlite, WANTED.toSqlite)],
    [`the same, ${NODES.at(-1)} nodes to SQLite`, times(four / sqlite, WANTED.toSqlite)],
    [`all CPU together, ${NODES.at(-1)} nodes to one`, times(four / one, WANTED.fourToOne)],
    ['accepted, p99, with the longer way', `${p99.map((ms) => ms.toFixed(0)).join(', ')} ms (wanted < ${WANTED.acceptedMs})`],
  ];
}
