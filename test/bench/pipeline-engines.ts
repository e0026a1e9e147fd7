// What the pipeline costs with its ledgers in PostgreSQL, beside SQLite: the same loads to two daemons in turns, and the CPU of PostgreSQL apart.
import { connectedTo, newPostgresDatabase, type PostgresDatabase } from '../support/postgres.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../support/postgres-server.ts';
import { median, table } from './figures.ts';
import { type Figure, inside, numbering, type Running, type Size, speedsOf } from './pipeline-daemons.ts';
import { type Load, settled, timesOf } from './pipeline-load.ts';
import { cpuSeconds } from './process-cost.ts';
import { countRoundTrips } from './round-trips.ts';

const TURNS = 3;
const AT_ONCE = 32;

/** Of each document. */
interface Cost {
  /** Published. */
  readonly perSecond: number;
  readonly daemonMs: number;
  readonly postgresMs: number;
  readonly transactions: number;
  readonly walBytes: number;
  /** By which the files of the database grow. */
  readonly diskBytes: number;
}

/** How PostgreSQL is looked at. */
interface Looked extends Pick<PostgresDatabase, 'administer'> {
  readonly pid: number;
}

export async function reportEngines(daemons: AsyncDisposableStack, size: Size, print: (line: string) => void): Promise<void> {
  if (postgresPrograms() === undefined) return print('\n  on both engines: not measured, PostgreSQL is not installed');
  await using postgres = await startPostgres();
  const { documents, buyers } = size;
  const costs: { sqlite: Cost[]; postgres: Cost[] } = { sqlite: [], postgres: [] };
  const database = await newPostgresDatabase({ server: postgres.server });
  const looked: Looked = { pid: postgres.pid, administer: database.administer };
  await inside(daemons, size, {}, async (onSqlite, from) =>
    inside(daemons, size, connectedTo(database.place, postgres.server), async (onPostgres) => {
      const next = numbering(from);
      for (let turn = 0; turn < TURNS; turn++) {
        const load = next({ documents, buyers, atOnce: AT_ONCE });
        costs.sqlite.push(await costOf(onSqlite, load, looked));
        costs.postgres.push(await costOf(onPostgres, load, looked));
      }
    }),
  );
  const sqlite = medians(costs.sqlite);
  const other = medians(costs.postgres);
  const ratio = (other.daemonMs + other.postgresMs) / sqlite.daemonMs;
  print(`\n  by the intake, ${AT_ONCE} in flight, on both engines in turns, medians of ${TURNS}`);
  print(
    table([
      ['published, SQLite, PostgreSQL', `${sqlite.perSecond.toFixed(0)}/s, ${other.perSecond.toFixed(0)}/s`],
      ['CPU each, daemon on SQLite', `${sqlite.daemonMs.toFixed(1)} ms`],
      ['CPU each, daemon on PostgreSQL', `${other.daemonMs.toFixed(1)} ms`],
      ['CPU each, PostgreSQL', `${other.postgresMs.toFixed(1)} ms`],
      ['all CPU together, to that on SQLite', `${ratio.toFixed(2)} times`],
      ['transactions each', other.transactions.toFixed(1)],
      ['WAL each', `${(other.walBytes / 1_024).toFixed(1)} KiB`],
      ['files of the database grow by, each', `${(other.diskBytes / 1_024).toFixed(1)} KiB`],
      await roundTrips(daemons, size, postgres.server),
    ]),
  );
}

async function costOf({ daemon, pid, upload }: Running, load: Load, postgres: Looked): Promise<Cost> {
  const before = { daemon: cpuSeconds(pid), postgres: cpuSeconds(postgres.pid), ...(await countersOf(postgres)) };
  const uploads = await upload(load);
  await settled(daemon, load);
  const after = { daemon: cpuSeconds(pid), postgres: cpuSeconds(postgres.pid), ...(await countersOf(postgres)) };
  const each = (name: keyof typeof after): number => (after[name] - before[name]) / load.documents;
  const [, , perSecond = Number.NaN] = speedsOf(timesOf(daemon, load, uploads), load.documents);
  return {
    perSecond,
    daemonMs: each('daemon') * 1_000,
    postgresMs: each('postgres') * 1_000,
    transactions: each('transactions'),
    walBytes: each('walBytes'),
    diskBytes: each('diskBytes'),
  };
}

function medians(costs: readonly Cost[]): Cost {
  const of = (name: keyof Cost): number => median(costs.map((cost) => cost[name]));
  return {
    perSecond: of('perSecond'),
    daemonMs: of('daemonMs'),
    postgresMs: of('postgresMs'),
    transactions: of('transactions'),
    walBytes: of('walBytes'),
    diskBytes: of('diskBytes'),
  };
}

/** In a run of its own: the relay that counts takes its time. */
async function roundTrips(daemons: AsyncDisposableStack, size: Size, server: PostgresServer): Promise<Figure> {
  using counter = await countRoundTrips(server);
  let each = Number.NaN;
  const database = await newPostgresDatabase({ server });
  await inside(daemons, size, connectedTo(database.place, counter), async ({ daemon, upload }, from) => {
    const load = { documents: size.documents, buyers: size.buyers, atOnce: AT_ONCE, from };
    const before = counter.count;
    await upload(load);
    await settled(daemon, load);
    each = (counter.count - before) / load.documents;
  });
  return ['round trips each, counted in a run of its own', each.toFixed(1)];
}

async function countersOf({ administer }: Looked): Promise<Pick<Cost, 'transactions' | 'walBytes' | 'diskBytes'>> {
  const { rows } = await administer(
    `select (select sum(xact_commit + xact_rollback) from pg_stat_database)::float8 as transactions,
      (pg_current_wal_lsn() - '0/0')::float8 as wal_bytes, pg_database_size(current_database())::float8 as disk_bytes`,
  );
  const [{ transactions, wal_bytes: walBytes, disk_bytes: diskBytes }] = rows;
  return { transactions, walBytes, diskBytes };
}
