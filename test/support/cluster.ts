// A core and several gateways as processes of their own: nodes on one database of PostgreSQL and one data folder, with short leases.
import type { FileEntryWithStats } from 'ssh2';
import { glnCheckDigit } from '#domain/participant.ts';
import { type DaemonOptions, startDaemon, type TestDaemon } from './daemon.ts';
import { freePort } from './free-port.ts';
import { connectedTo, newPostgresDatabase, type PostgresDatabase } from './postgres.ts';
import { addRemoteAccounts } from './remote-accounts.ts';
import { called, connect, type Door, tryLogin, whileConnected } from './sftp-clients.ts';
import { until } from './until.ts';

/**
 * Longer than a busy machine keeps a node or the database waiting: no node must lose its homes for that. With 2 s nodes lost theirs again and again while
 * other tests had the processors. How many leases were lost for no fault stands in the figures of the cluster suite.
 */
export const LEASE_MS = 5_000;

export interface Cluster extends AsyncDisposable {
  readonly core: TestDaemon;
  readonly database: PostgresDatabase;
  /** By their names. */
  readonly nodes: ReadonlyMap<string, TestDaemon>;
  node(name: string): TestDaemon;
  /** How one more is started, with a data folder of its own where that is said. */
  settingsOf(name: string, data?: string): DaemonOptions;
  /** The homes that a node has in hand, as the ledger says. */
  homesOf(name: string): Promise<readonly string[]>;
  /** Resolves when these nodes, and no others, have all homes in hand, each some where `each`. */
  settled(...names: readonly string[]): Promise<void>;
}

export interface ClusterOptions {
  readonly names: readonly string[];
  /** Pairs of accounts that send to each other; `sellerN` has the login `erpN`. */
  readonly pairs: number;
  readonly calm?: string;
  /** Where each sees the data folder; left out, all at one place. */
  readonly dataOf?: (name: string) => string;
  /** What each starts in place of what all tests start. */
  readonly programOf?: (name: string) => string;
}

/** Accounts of a cluster with so many pairs: each seller sends to its buyer. */
export function accountsOf(pairs: number) {
  return Array.from({ length: pairs }, (_, at) => [
    { accountRegNo: `seller${at}`, participants: [sellerOf(at)], login: `erp${at}` },
    { accountRegNo: `buyer${at}`, participants: [buyerOf(at)], login: `buyer${at}` },
  ]).flat();
}

/** The participants of the pair with this number. */
export const sellerOf = (at: number): string => glnOf(730_000_000_100 + at);
export const buyerOf = (at: number): string => glnOf(735_000_000_100 + at);

function glnOf(number: number): string {
  return `0088:${number}${glnCheckDigit(String(number))}`;
}

export async function startCluster({ names, pairs, calm = '500ms', dataOf, programOf }: ClusterOptions): Promise<Cluster> {
  await using started = new AsyncDisposableStack();
  const database = started.use(await newPostgresDatabase());
  const listen = `127.0.0.1:${await freePort()}`;
  const accounts = accountsOf(pairs);
  const core = started.use(
    await startDaemon({
      role: 'core',
      accounts: accounts.map(({ accountRegNo, participants }) => ({ accountRegNo, participants })),
      config: { core: { listen } },
    }),
  );
  const { config, env } = connectedTo(database.place);
  let data: string | undefined;
  const settingsOf: Cluster['settingsOf'] = (name, own = data) => ({
    role: 'gateway',
    accounts: [],
    node: { name, ...(own !== undefined && { data: own }) },
    env,
    config: {
      ...config,
      cluster: { lease: `${LEASE_MS}ms`, calm },
      service: { url: `http://${listen}` },
      gateway: { poll: '1s', pollSilent: '1s' },
    },
  });
  const nodes = new Map<string, TestDaemon>();
  for (const name of names) {
    const program = programOf && { program: programOf(name) };
    const node = started.use(await startDaemon({ ...settingsOf(name, dataOf?.(name)), ...program }));
    data ??= node.data;
    nodes.set(name, node);
  }
  const [first] = nodes.values();
  if (first) await addRemoteAccounts(first, core, accounts);
  const { login } = accounts.at(-1) ?? {};
  // The others learn of them within two seconds: of a login first, perhaps, and then of its home.
  for (const node of nodes.values()) if (login) await until('the homes of logins to be known', () => hasInbox({ ...node, login }));
  const homesOf: Cluster['homesOf'] = async (name) => {
    const of = `select home from dropgate_gateway.homes_in_hand join dropgate_gateway.processes using (incarnation) where node = '${name}' order by home`;
    return (await database.administer(of)).rows.map(({ home }) => String(home));
  };
  const kept = started.move();
  return {
    core,
    database,
    nodes,
    settingsOf,
    homesOf,
    node(name) {
      const node = nodes.get(name);
      if (!node) throw new RangeError(`there is no node ${name}`);
      return node;
    },
    async settled(...living) {
      await until(`all homes to be in hand of ${living}`, async () => {
        const homes = await Promise.all(living.map(homesOf));
        return homes.every((each) => each.length > 0) && homes.flat().length === accounts.length;
      });
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function hasInbox(door: Door): Promise<boolean> {
  if ((await tryLogin(door, {})) !== 'in') return false;
  const client = await connect(door);
  try {
    const listed = await whileConnected(client, (sftp) => called<FileEntryWithStats[]>((done) => sftp.readdir('/', done)));
    return listed.some(({ filename }) => filename === 'inbox');
  } finally {
    client.end();
  }
}
