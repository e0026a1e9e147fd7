// A primary of PostgreSQL and a synchronous standby that follows it, and takes its place when it is killed.
import { administer } from './postgres.ts';
import { type PostgresServer, type StartedPostgres, startPostgres } from './postgres-server.ts';
import { openRelay, type Relay } from './relay.ts';
import { until } from './until.ts';

/** By this name a standby tells the primary who it is. */
const STANDBY = 'standby';

const SETTINGS = {
  cluster_name: STANDBY,
  shared_buffers: '16MB',
  // A primary that was killed is back within a second, and its commits wait until the standby has found it again.
  wal_retrieve_retry_interval: '100ms',
  wal_keep_size: '64MB',
};

export interface PostgresPair extends AsyncDisposable {
  /** Where the primary is found for as long as the pair lives, whichever of the two that is. */
  readonly server: PostgresServer;
  /** The one that takes changes now. */
  readonly primary: StartedPostgres;
  /** One more way to the primary, which somebody can be cut off from. */
  openWay(): Promise<Relay>;
  /**
   * Kills the primary, promotes the standby, and leads all ways to it; resolves when commits wait for a new standby. With `unheard`, as soon as so many
   * commits wait for a standby that hears no more: the new primary has none of them.
   */
  failOver(unheard?: number): Promise<void>;
}

interface Standby {
  readonly postgres: StartedPostgres;
  /** By which it follows the primary. */
  readonly link: Relay;
}

export async function startPostgresPair(): Promise<PostgresPair> {
  let primary = await startPostgres({ settings: SETTINGS });
  let standby = await standbyOf(primary);
  const ways = new Set<Relay>();
  const openWay = async (): Promise<Relay> => {
    const way = await openRelay(primary.server);
    ways.add(way);
    return way;
  };
  const { host, port } = await openWay();
  return {
    server: { ...primary.server, host, port },
    get primary() {
      return primary;
    },
    openWay,
    async failOver(unheard = 0) {
      const former = primary;
      const { postgres, link } = standby;
      if (unheard > 0) {
        link.isSilent = true;
        await until('commits to wait for the standby', async () => (await waiting(former)) >= unheard);
      }
      await former.crash('SIGKILL');
      for (const way of ways) way.cut();
      link[Symbol.dispose]();
      await administer(postgres.server, 'postgres', 'select pg_promote()');
      primary = postgres;
      for (const way of ways) way.target = primary.server;
      await former[Symbol.asyncDispose]();
      standby = await standbyOf(primary);
    },
    async [Symbol.asyncDispose]() {
      for (const way of [...ways, standby.link]) way[Symbol.dispose]();
      await standby.postgres[Symbol.asyncDispose]();
      await primary[Symbol.asyncDispose]();
    },
  };
}

/** Resolves when each commit of the primary waits until the standby has it, too. */
async function standbyOf({ server }: StartedPostgres): Promise<Standby> {
  const link = await openRelay(server);
  const from = `--dbname=host=${link.host} port=${link.port} user=postgres sslmode=disable`;
  const how = ['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast', '--no-sync', '--no-manifest'];
  const postgres = await startPostgres({
    settings: SETTINGS,
    fill: (data, run) => run('pg_basebackup', [from, `--pgdata=${data}`, ...how], { PGPASSWORD: server.password }),
  });
  await administer(server, 'postgres', `alter system set synchronous_standby_names = '${STANDBY}'`);
  await administer(server, 'postgres', 'select pg_reload_conf()');
  await until('the standby to be waited for', async () => {
    const { rows } = await administer(server, 'postgres', 'select sync_state from pg_stat_replication');
    return rows.some(({ sync_state }) => sync_state === 'sync');
  });
  return { postgres, link };
}

/** How many commits wait for the standby. */
async function waiting({ server }: StartedPostgres): Promise<number> {
  const { rows } = await administer(server, 'postgres', "select from pg_stat_activity where wait_event = 'SyncRep'");
  return rows.length;
}
