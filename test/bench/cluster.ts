// Several gateways as nodes on PostgreSQL and Redis, beside one process on SQLite: what a document costs at a fixed rate below what the machine can do, and how late
// it is accepted, also where the database is further away.
import pg from 'pg';
import { postgresPrograms } from '../support/postgres-server.ts';
import { hasRedis } from '../support/redis-server.ts';
import { allCpu, type Counts, countsOf, meanOf, type Servers, spent, watchLocks } from './cluster-cost.ts';
import { type Daemons, type Nodes, startAlone, startNodes } from './cluster-daemons.ts';
import { openSellers, PAIRS, type Sellers, settled, timesOf } from './cluster-load.ts';
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
  /** All take turns, so that a minute in which the machine is quick or slow is not that of one of them alone. */
  readonly turns: number;
  /** Of each turn. */
  readonly seconds: number;
  /** Seconds of the same load before each turn, which do not count: a process that has rested in the turns of others has given back memory, and takes it again. */
  readonly leadIn: number;
  /** For each gateway: what V8 has seen often it runs quicker. */
  readonly warmUp: number;
}

const SHORT: Size = { perSecond: 20, turns: 1, seconds: 5, leadIn: 1, warmUp: 100 };
/** At this rate four nodes, their servers and the clients do not fill two cores. */
const WHOLE: Size = { perSecond: 30, turns: 3, seconds: 20, leadIn: 20, warmUp: 1_500 };

/** Some daemons with the sessions of their sellers. */
interface Party<Its extends Daemons = Daemons> {
  readonly name: string;
  readonly daemons: Its;
  readonly sellers: Sellers;
  /** Number of its next document. */
  next: number;
}

interface Turn {
  readonly cost: Counts;
  readonly times: Times;
}

interface Run {
  readonly name: string;
  /** The mean of its turns; CPU in seconds. */
  readonly cost: Counts;
  /** Of each turn. */
  readonly times: readonly Times[];
}

interface FarRun extends Run {
  readonly waitedMs: number;
  readonly askedMs: number;
}

export async function benchCluster({ short, rate, print }: BenchOptions): Promise<void> {
  if (postgresPrograms() === undefined || !hasRedis) return print('  not measured: PostgreSQL or Redis is not installed');
  const usual = short ? SHORT : WHOLE;
  const size = { ...usual, perSecond: rate ?? usual.perSecond };
  const { perSecond, turns, seconds, leadIn, warmUp } = size;
  print(
    `  invoices of ${DOCUMENT_BYTES} bytes from ${PAIRS} accounts to ${PAIRS} others, ${perSecond} a second for ${seconds} s, ${turns} times in turns, each after ${leadIn} s of the same; before all ${warmUp} for each gateway to warm up`,
  );
  print('  gateways, a core, PostgreSQL (both ledgers), Redis and the clients on this machine; gateways reach PostgreSQL through a relay');
  await using started = new AsyncDisposableStack();
  const sqlite = await warmedUp('SQLite', started.use(await startAlone()), warmUp, started);
  const clusters: Party<Nodes>[] = [];
  for (const count of NODES) {
    const nodes = started.use(await startNodes(count));
    await nodes.sharedOut(2 * PAIRS);
    clusters.push(await warmedUp(`${count} ${count === 1 ? 'node' : 'nodes'}`, nodes, warmUp, started));
  }
  const runs = await inTurns([sqlite, ...clusters], size);
  const far = await furtherAway(clusters, size);
  print(`\n  CPU each is that of a document, in ms; times are p50 / p99`);
  print(columns(runs, ROWS));
  print(`\n  the same, each way between gateways and PostgreSQL ${FAR_MS} ms longer`);
  print(columns(far, [...ROWS, ...FAR_ROWS]));
  print(`\n${table(verdicts(runs, far))}`);
}

async function warmedUp<Its extends Daemons>(
  name: string,
  daemons: Its,
  documents: number,
  started: AsyncDisposableStack,
): Promise<Party<Its>> {
  const party = { name, daemons, sellers: started.use(await openSellers(daemons.doors)), next: 0 };
  await uploaded(party, documents * daemons.doors.length);
  return party;
}

async function inTurns(parties: readonly Party[], { perSecond, turns, seconds, leadIn }: Size): Promise<Run[]> {
  const documents = seconds * perSecond;
  const measured = new Map(parties.map((party): [Party, Turn[]] => [party, []]));
  for (let turn = 0; turn < turns; turn++) {
    for (const [party, its] of measured) {
      await uploaded(party, leadIn * perSecond, perSecond);
      const before = await countsOf(party.daemons);
      const times = await uploaded(party, documents, perSecond);
      its.push({ cost: spent(before, await countsOf(party.daemons), documents), times });
    }
  }
  return [...measured].map(([{ name }, its]) => ({
    name,
    cost: meanOf(its.map(({ cost }) => cost)),
    times: its.map(({ times }) => times),
  }));
}

/** With the longer way to PostgreSQL for all. */
async function furtherAway(clusters: readonly Party<Nodes>[], size: Size): Promise<FarRun[]> {
  await using watched = new AsyncDisposableStack();
  for (const { daemons } of clusters) daemons.servers.far.delay(FAR_MS);
  const askedMs: number[] = [];
  for (const { daemons } of clusters) askedMs.push(await asked(daemons.servers));
  const locks = await Promise.all(clusters.map(async ({ daemons }) => watched.use(await watchLocks(daemons.servers))));
  const runs = await inTurns(clusters, size);
  const documents = size.turns * (size.leadIn + size.seconds) * size.perSecond;
  return runs.map((run, at) => ({
    ...run,
    askedMs: askedMs[at] ?? Number.NaN,
    waitedMs: (locks[at]?.waitedMs ?? Number.NaN) / documents,
  }));
}

/** The party's next documents, until they are published and reported as delivered. */
async function uploaded(party: Party, documents: number, perSecond?: number): Promise<Times> {
  const { sellers, daemons, next: from } = party;
  const [homes] = daemons.doors;
  if (!homes) throw new RangeError('there is no gateway');
  party.next += documents;
  const load = { documents, from, ...(perSecond !== undefined && { perSecond }) };
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
const all = ({ times }: Run, of: (times: Times) => readonly number[]): number[] => times.flatMap(of);
const accepted = (run: Run): number[] => all(run, (times) => afterClose(times, times.acceptedMs));
const published = (run: Run): number[] => all(run, (times) => afterClose(times, times.publishedMs));

const ROWS: Rows<Run> = [
  ['uploaded, accepted, published, the slowest turn', (run) => `${slowest(run).join(', ')} /s`],
  ['CPU each, gateways (alone: all of it)', cpu(({ gateways }) => gateways)],
  ['CPU each, core', cpu(({ cores }) => cores)],
  ['CPU each, PostgreSQL', cpu(({ postgres }) => postgres)],
  ['CPU each, Redis', cpu(({ redis }) => redis)],
  ['CPU each, together', cpu(allCpu)],
  ['round trips of gateways, each', ({ cost }) => cost.roundTrips.toFixed(1)],
  ['statements of all, each', ({ cost }) => cost.statements.toFixed(1)],
  ['WAL, each', ({ cost }) => `${(cost.walBytes / 1_024).toFixed(1)} KiB`],
  ['rings through Redis, each', ({ cost }) => cost.rings.toFixed(2)],
  ['CLOSE sent → answered', (run) => p50And99(all(run, ({ closingMs }) => closingMs))],
  ['CLOSE answered → accepted', (run) => p50And99(accepted(run))],
  ["CLOSE answered → receiver's outbox", (run) => p50And99(published(run))],
];
const FAR_ROWS: Rows<FarRun> = [
  ['waited for locks, each, all sessions', ({ waitedMs }) => `${waitedMs.toFixed(2)} ms`],
  ['the shortest statement takes', ({ askedMs }) => `${askedMs.toFixed(2)} ms`],
];

function slowest({ times }: Run): string[] {
  const speeds = times.map((each) => speedsOf(each, each.closedMs.length));
  return (speeds[0] ?? []).map((_, at) => Math.min(...speeds.map((each) => each[at] ?? Number.NaN)).toFixed(0));
}

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
