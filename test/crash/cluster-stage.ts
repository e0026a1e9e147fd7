// Three gateways and two cores as processes of their own, behind a balancer, on a PostgreSQL with a standby, and a Redis, of their own: each of them may fail.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { freePort } from '../support/free-port.ts';
import { connectedTo, newPostgresDatabase, type PostgresDatabase } from '../support/postgres.ts';
import { type PostgresPair, startPostgresPair } from '../support/postgres-pair.ts';
import { type StartedRedis, startRedis } from '../support/redis-server.ts';
import type { Relay } from '../support/relay.ts';
import { addRemoteAccounts } from '../support/remote-accounts.ts';
import { ClusterRows } from './cluster-rows.ts';
import { accountsOf, MANY_TO_MANY } from './parties.ts';
import type { Core, Gateway } from './traffic.ts';

const GATEWAYS = ['one', 'two', 'three'] as const;
const CORES = ['a', 'b'] as const;
const ACCOUNTS = accountsOf(MANY_TO_MANY);

export interface ClusterTimes {
  /** How long leases hold. */
  readonly leaseMs: number;
  /** For how long the nodes must have been the same before a home changes hands. */
  readonly calmMs: number;
  /** How often gateways ask for what no ring has told them. */
  readonly pollMs: number;
}

export interface GatewayNode {
  readonly name: string;
  readonly daemon: TestDaemon;
  /** Its way to PostgreSQL. */
  readonly relay: Relay;
}

export interface ClusterStage extends AsyncDisposable {
  readonly nodes: readonly GatewayNode[];
  readonly cores: readonly TestDaemon[];
  readonly postgres: PostgresPair;
  readonly redis: StartedRedis;
  /** Both as ERPs and gateways see them, through the balancer. */
  readonly gateway: Gateway;
  readonly core: Core;
  readonly rows: ClusterRows;
  /** The node that has the home in hand, as the ledger says; undefined while none has. */
  ownerOf(home: string): Promise<(GatewayNode & { readonly incarnation: string }) | undefined>;
}

export async function startClusterStage(times: ClusterTimes): Promise<ClusterStage> {
  await using started = new AsyncDisposableStack();
  const postgres = started.use(await startPostgresPair());
  const database = await newPostgresDatabase({ server: postgres.server });
  const redis = started.use(await startRedis());
  const gatewayPorts = await Promise.all(GATEWAYS.map(freePort));
  const corePorts = await Promise.all(CORES.map(freePort));
  const balancer = started.use(await startBalancer(gatewayPorts, corePorts));
  const queue = { url: `redis://127.0.0.1:${redis.place.port}/0` };
  const cores = await startCores({ postgres, ports: corePorts, queue }, started);
  const nodes = await startGateways({ database, postgres, balancer, ports: gatewayPorts, queue, times }, started);
  const rows = new ClusterRows(database);
  await rows.noteChanges();
  const [first, [core]] = [nodes[0]?.daemon, cores];
  if (!first || !core) throw new RangeError('a stage has gateways and cores');
  await addRemoteAccounts(first, core, ACCOUNTS);
  const all = (daemons: readonly TestDaemon[]) => ({
    facts: () => daemons.flatMap((each) => each.facts()),
    complaints: () => daemons.map((each) => each.complaints()).join(''),
  });
  const gateways = nodes.map(({ daemon }) => daemon);
  const kept = started.move();
  return {
    nodes,
    cores,
    postgres,
    redis,
    rows,
    gateway: {
      ...first,
      ...all(gateways),
      port: balancer.sftpPort,
      stop: () => Promise.all(gateways.map((each) => each.stop())),
      start: async () => void (await Promise.all(gateways.map((each) => each.start()))),
    },
    core: { ...all(cores), coreUrl: balancer.coreUrl, apiKey: core.apiKey },
    async ownerOf(home) {
      const owner = await rows.ownerOf(home);
      const node = nodes.find(({ name }) => name === owner?.node);
      return owner && node && { ...node, incarnation: owner.incarnation };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

interface Queue {
  readonly url: string;
}

interface CorePlaces {
  readonly postgres: PostgresPair;
  readonly ports: readonly number[];
  readonly queue: Queue;
}

async function startCores({ postgres, ports, queue }: CorePlaces, started: AsyncDisposableStack) {
  const database = await newPostgresDatabase({ server: postgres.server });
  const { config, env } = connectedTo(database.place, await postgres.openWay());
  const cores: TestDaemon[] = [];
  for (const [at, name] of CORES.entries()) {
    const [first] = cores;
    const data = first && join(first.folder, name);
    if (first && data) cpSync(join(first.data, 'keys'), join(data, 'keys'), { recursive: true });
    const core = await startDaemon({
      role: 'core',
      accounts: first ? [] : ACCOUNTS.map(({ accountRegNo, participants }) => ({ accountRegNo, participants })),
      node: { name, ...(data && { data }) },
      env,
      config: { ...config, queue: { ...queue }, core: { listen: `127.0.0.1:${ports[at]}`, requests: 1_000_000 } },
    });
    cores.push(started.use(core));
  }
  return cores;
}

interface GatewayPlaces {
  readonly database: PostgresDatabase;
  readonly postgres: PostgresPair;
  readonly balancer: Balancer;
  readonly ports: readonly number[];
  readonly queue: Queue;
  readonly times: ClusterTimes;
}

async function startGateways({ database, postgres, balancer, ports, queue, times }: GatewayPlaces, started: AsyncDisposableStack) {
  const nodes: GatewayNode[] = [];
  for (const [at, name] of GATEWAYS.entries()) {
    const relay = await postgres.openWay();
    const { config, env } = connectedTo(database.place, relay);
    const data = nodes[0]?.daemon.data;
    const daemon = await startDaemon({
      role: 'gateway',
      accounts: [],
      node: { name, ...(data && { data }) },
      env,
      config: {
        ...config,
        cluster: { lease: `${times.leaseMs}ms`, calm: `${times.calmMs}ms` },
        queue: { ...queue },
        service: { url: balancer.coreUrl },
        gateway: { poll: `${times.pollMs}ms`, pollSilent: `${times.pollMs}ms` },
        sftp: { listen: `127.0.0.1:${ports[at]}`, proxies: ['127.0.0.1/32'], unauthenticatedPerAddressMax: 100 },
      },
    });
    nodes.push({ name, daemon: started.use(daemon), relay });
  }
  return nodes;
}
