// The daemons that the cluster bench gives its loads: nodes and a core on PostgreSQL with Redis, and the same work by one process on SQLite.
import { setTimeout as pause } from 'node:timers/promises';
import { sealPath } from '#gateway/disk/paths.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { createRemoteAccount } from '#operations/new-account.ts';
import { openPasswords } from '#runtime/auth/password.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import { accountsOf } from '../support/cluster.ts';
import { type DaemonOptions, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { freePort } from '../support/free-port.ts';
import { connectedTo, newPostgresDatabase, type PostgresDatabase } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startRedis } from '../support/redis-server.ts';
import { PASSWORD } from '../support/sftp-server.ts';
import { until } from '../support/until.ts';
import { AS_INSTALLED } from './as-installed.ts';
import { COUNTING, type Counted, type Servers } from './cluster-cost.ts';
import { PAIRS } from './cluster-load.ts';
import { openFarDatabase } from './far-database.ts';

/** The gateway's are the defaults, which daemons of tests do not have. */
const CORE = { listen: '127.0.0.1:0', requests: 10_000_000 };
const GATEWAY = { settle: '5s', rescan: '10s' };
const NAMES = ['a', 'b', 'c', 'd'];
/** So that homes are shared out soon; it is looked at as often as by default. */
const CALM = '1s';
const SHARED_OUT_MS = 600_000;
const LOOK_EVERY_MS = 2_000;

export interface Daemons extends Counted, AsyncDisposable {
  /** Where sessions go, in turns. */
  readonly doors: readonly TestDaemon[];
}

export interface Nodes extends Daemons {
  readonly servers: Servers;
  /** Of the gateways. */
  readonly database: PostgresDatabase;
  readonly coreDatabase: PostgresDatabase;
  /** Resolves when so many homes are shared out among the nodes, or among so many of them. */
  sharedOut(homes: number, among?: number): Promise<void>;
}

/** One process, with its ledgers in SQLite. */
export async function startAlone(): Promise<Daemons> {
  const daemon = await startDaemon({ accounts: accountsOf(PAIRS), config: { core: CORE, gateway: GATEWAY }, ...AS_INSTALLED });
  const counted = { gateways: [daemon.pid], cores: [], servers: null, redis: null };
  return { ...counted, doors: [daemon], [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() };
}

/** So many gateways beside a core, whose ledger is in a database of the same server; all of them with a name. */
export async function startNodes(count: number): Promise<Nodes> {
  await using started = new AsyncDisposableStack();
  const postgres = started.use(await startPostgres({ settings: COUNTING }));
  const redis = started.use(await startRedis());
  const far = started.use(await openFarDatabase(postgres.server));
  const [database, coreDatabase] = [await newPostgresDatabase(postgres), await newPostgresDatabase(postgres)];
  await database.administer('create extension pg_stat_statements');
  const queue = { queue: { url: `redis://${redis.place.host}:${redis.place.port}` } };
  const listen = `127.0.0.1:${await freePort()}`;
  const near = connectedTo(coreDatabase.place);
  const core = started.use(
    await startDaemon({
      ...AS_INSTALLED,
      role: 'core',
      node: { name: 'core' },
      accounts: accountsOf(PAIRS).map(({ login: _, ...account }) => account),
      env: { ...AS_INSTALLED.env, ...near.env },
      config: { ...near.config, ...queue, core: { ...CORE, listen } },
    }),
  );
  const away = connectedTo(database.place, far);
  const optionsOf = (name: string, data?: string): DaemonOptions => ({
    ...AS_INSTALLED,
    role: 'gateway',
    node: { name, ...(data !== undefined && { data }) },
    accounts: [],
    env: { ...AS_INSTALLED.env, ...away.env },
    config: { ...away.config, ...queue, cluster: { calm: CALM }, service: { url: `http://${listen}` }, gateway: GATEWAY },
  });
  const doors: TestDaemon[] = [];
  for (const name of NAMES.slice(0, count)) doors.push(started.use(await startDaemon(optionsOf(name, doors[0]?.data))));
  await addHomes(doors[0]?.data ?? '', database, core);
  const kept = started.move();
  return {
    doors,
    database,
    coreDatabase,
    gateways: doors.map(({ pid }) => pid),
    cores: [core.pid],
    redis,
    servers: { postgres, far, ask: (statement) => database.administer(statement) },
    sharedOut: (homes, among = count) => sharedOut(database, among, homes),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** As `account add --remote` does it, without a process for each. */
async function addHomes(data: string, { place }: PostgresDatabase, core: TestDaemon): Promise<void> {
  const ledger = await openGatewayLedger(data, place);
  const gateway = { ledger, data, seal: await openSeal(sealPath(data), systemRandom), clock: systemClock };
  const passwordHash = await openPasswords(systemRandom).hash(PASSWORD);
  for (const { accountRegNo, login } of accountsOf(PAIRS)) {
    const account = { accountRegNo };
    await createRemoteAccount({ core: null, gateway }, account, core.apiKey(accountRegNo), { login, passwordHash, publicKeys: [] });
  }
  await ledger.close();
}

/** When each node has some, all are in somebody's hand, and none has moved since the last look. */
async function sharedOut(database: PostgresDatabase, nodes: number, homes: number): Promise<void> {
  let before = '';
  const look = async (): Promise<boolean> => {
    const { rows } = await database.administer(
      'select incarnation, count(*)::int as homes from dropgate_gateway.homes_in_hand group by incarnation order by incarnation',
    );
    const now = JSON.stringify(rows);
    const isSame = now === before;
    before = now;
    await pause(LOOK_EVERY_MS);
    return isSame && rows.length === nodes && rows.reduce((sum, { homes: each }) => sum + Number(each), 0) === homes;
  };
  await until(`${homes} homes to be shared out`, look, SHARED_OUT_MS);
}
