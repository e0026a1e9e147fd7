// What documents cost in a cluster: CPU by what it was spent in, and what the servers count.
import pg from 'pg';
import type { StartedPostgres } from '../support/postgres-server.ts';
import type { StartedRedis } from '../support/redis-server.ts';
import type { FarDatabase } from './far-database.ts';
import { cpuSeconds } from './process-cost.ts';

/** Counted since the processes began; CPU in seconds. */
export interface Counts {
  readonly gateways: number;
  readonly cores: number;
  readonly postgres: number;
  readonly redis: number;
  /** Of gateways. */
  readonly roundTrips: number;
  /** All that PostgreSQL has run, BEGIN and COMMIT as well. */
  readonly statements: number;
  readonly walBytes: number;
  readonly rings: number;
}

export interface Counted {
  /** Process ids. */
  readonly gateways: readonly number[];
  readonly cores: readonly number[];
  /** Null where there is none. */
  readonly servers: Servers | null;
  readonly redis: StartedRedis | null;
}

export interface Servers {
  readonly postgres: StartedPostgres;
  readonly far: FarDatabase;
  /** As the superuser. */
  ask(statement: string): Promise<pg.QueryResult>;
}

/** For PostgreSQL, so that statements are counted: it comes with it. */
export const COUNTING = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'all' };

export async function countsOf({ gateways, cores, servers, redis }: Counted): Promise<Counts> {
  const cpu = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const { statements, walBytes } = servers ? await countedBy(servers) : { statements: 0, walBytes: 0 };
  return {
    gateways: cpu(gateways),
    cores: cpu(cores),
    postgres: servers ? cpuSeconds(servers.postgres.pid) : 0,
    redis: redis ? cpuSeconds(redis.pid) : 0,
    roundTrips: servers?.far.roundTrips ?? 0,
    statements,
    walBytes,
    rings: redis ? await ringsIn(redis) : 0,
  };
}

/** What came between two counts, for each of so many documents or seconds. */
export function spent(before: Counts, after: Counts, among: number): Counts {
  return countsBy((name) => (after[name] - before[name]) / among);
}

export function meanOf(counts: readonly Counts[]): Counts {
  return countsBy((name) => counts.reduce((sum, each) => sum + each[name], 0) / counts.length);
}

function countsBy(each: (name: keyof Counts) => number): Counts {
  return {
    gateways: each('gateways'),
    cores: each('cores'),
    postgres: each('postgres'),
    redis: each('redis'),
    roundTrips: each('roundTrips'),
    statements: each('statements'),
    walBytes: each('walBytes'),
    rings: each('rings'),
  };
}

export function allCpu({ gateways, cores, postgres, redis }: Counts): number {
  return gateways + cores + postgres + redis;
}

async function countedBy({ ask }: Servers): Promise<Pick<Counts, 'statements' | 'walBytes'>> {
  const { rows } = await ask(
    `select (select coalesce(sum(calls), 0) from pg_stat_statements)::float8 as statements, (pg_current_wal_lsn() - '0/0')::float8 as wal`,
  );
  return { statements: Number(rows[0]?.statements), walBytes: Number(rows[0]?.wal) };
}

/** A queue counts its jobs, and each ring is one. */
async function ringsIn(redis: StartedRedis): Promise<number> {
  const keys = await redis.ask('keys', '*:gateway-*:id');
  if (!Array.isArray(keys) || keys.length === 0) return 0;
  const numbers = await redis.ask('mget', ...keys.map(String));
  return Array.isArray(numbers) ? numbers.reduce<number>((sum, each) => sum + Number(each), 0) : 0;
}

export interface LockWaits extends AsyncDisposable {
  /** Time that sessions have waited for locks, all together. */
  readonly waitedMs: number;
}

const LOOK_EVERY_MS = 25;

/** Looks again and again who waits for a lock, so it costs PostgreSQL something: not while its CPU is counted. */
export async function watchLocks({ postgres: { server } }: Servers): Promise<LockWaits> {
  const client = new pg.Client({ host: server.host, port: server.port, user: 'postgres', password: server.password, database: 'postgres' });
  await client.connect();
  let waitedMs = 0;
  let before = performance.now();
  let looking: Promise<unknown> = Promise.resolve();
  const look = async (): Promise<void> => {
    const { rows } = await client.query(`select count(*)::float8 as waiting from pg_stat_activity where wait_event_type = 'Lock'`);
    const now = performance.now();
    waitedMs += Number(rows[0]?.waiting) * (now - before);
    before = now;
  };
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, LOOK_EVERY_MS);
  return {
    get waitedMs() {
      return waitedMs;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await looking;
      await client.end();
    },
  };
}
