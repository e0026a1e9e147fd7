// The gateways of `dropgate demo --cluster`, and the core that they work for: daemons on one database and one data folder.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ownerOf } from '#gateway/nodes/rendezvous.ts';
import { withLedgers } from '#operations/ledgers.ts';
import { createAccount, type NewAccount } from '#operations/new-account.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { type ChildDaemon, startChildDaemon } from './child-daemon.ts';
import type { Servers } from './demo-servers.ts';
import { STEP_MS_MAX, type Stage, until } from './demo-stage.ts';

const NAMES = ['a', 'b', 'c'] as const;
/** Shorter than by default: somebody waits for what becomes of it. */
export const LEASE_S = 5;
const CALM_S = 1;

export interface Node {
  readonly name: string;
  readonly port: number;
  readonly daemon: ChildDaemon;
}

export interface Nodes {
  /** The folder that they share. */
  readonly data: string;
  readonly all: readonly Node[];
  /** Resolves when these have all homes in hand, each those that are its own; with a sentence of how many each has. */
  settled(living: readonly Node[], withinMs: number): Promise<string>;
  /** The one that has most to do. */
  readonly busiest: Node;
  homesOf(node: Node): number;
}

/** Makes the accounts, and starts a core and the nodes. Resolves when each has homes in hand. */
export async function startNodes(stage: Stage, { databaseUrl, queueUrl }: Servers, accounts: readonly NewAccount[]): Promise<Nodes> {
  const data = join(stage.folder, 'data');
  const write = (name: string, settings: object): string => {
    const file = join(stage.folder, `${name}.yaml`);
    const common = { queue: { url: queueUrl }, admin: { listen: 'off' } };
    writeFileSync(file, stringify({ ...common, ...settings }));
    return file;
  };
  mkdirSync(data);
  const coreFile = write('core', { role: 'core', data: join(stage.folder, 'core'), core: { listen: '127.0.0.1:0' } });
  const nodeFile = (node: string, url: string): string =>
    write(node, {
      role: 'gateway',
      node,
      data,
      database: { url: databaseUrl },
      cluster: { lease: `${LEASE_S}s`, calm: `${CALM_S}s` },
      sftp: { listen: '127.0.0.1:0' },
      service: { url },
    });
  await makeAccounts(coreFile, nodeFile('accounts', 'http://127.0.0.1:1'), accounts);
  const core = stage.start(() => startChildDaemon(coreFile));
  const { coreUrl } = await core.told('daemon.ready', STEP_MS_MAX);
  const all = await Promise.all(
    NAMES.map(async (name) => {
      const daemon = stage.start(() => startChildDaemon(nodeFile(name, String(coreUrl))));
      return { name, daemon, port: Number((await daemon.told('daemon.ready', STEP_MS_MAX)).sftpPort) };
    }),
  );
  const homes = accounts.map(({ accountRegNo }) => accountRegNo);
  const homesOf = (node: Node): number => homesInHand(node.daemon);
  return {
    data,
    all,
    homesOf,
    get busiest() {
      return all.reduce((most, node) => (homesOf(node) > homesOf(most) ? node : most));
    },
    async settled(living, withinMs) {
      const names = living.map(({ name }) => name);
      const owned = Map.groupBy(homes, (home) => ownerOf(home, names));
      const isSettled = (): boolean => living.every((node) => homesOf(node) === (owned.get(node.name)?.length ?? 0));
      await until('The nodes have not shared the homes out', isSettled, withinMs);
      return `of the ${homes.length} homes ${living.map((node) => `${node.name} has ${homesOf(node)}`).join(', ')}`;
    },
  };
}

/** As a command does it that has both ledgers: the core's has a file, the gateways' is in the database. */
function makeAccounts(coreFile: string, nodeFile: string, accounts: readonly NewAccount[]): Promise<void> {
  return withLedgers(loadConfig(coreFile, undefined).config, (inCore) =>
    withLedgers(loadConfig(nodeFile, undefined).config, async (inGateway) => {
      for (const account of accounts) await createAccount({ ...inGateway, core: inCore.core }, account);
    }),
  );
}

/** By what it has told in its log. */
function homesInHand(daemon: ChildDaemon): number {
  const [joined] = daemon.facts('node.joined');
  return Number(joined?.homes ?? 0) + daemon.facts('home.taken-up').length - daemon.facts('home.given-up').length;
}
