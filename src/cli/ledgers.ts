// The ledgers of the data folder, opened by a command. A daemon may run beside it: SQLite takes several processes, and it notices within two seconds.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openCoreLedger } from '#core/ledger/open.ts';
import { readSealed as readSealedInCore } from '#core/ledger/sealed.ts';
import type { CoreAdministration } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import type { DatabaseServer } from '#engines/open.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { readSealed } from '#gateway/ledger/sealed.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import type { Config } from '#runtime/config/config.ts';
import { ensureFolder } from '#runtime/files/durable.ts';
import { Lifecycle } from '#runtime/lifecycle.ts';
import { isLoopback } from '#runtime/networks.ts';
import { KEY_REMEDY, openSeal, refuseForeign, type Seal } from '#runtime/seal.ts';

const LEDGERS = ['core.db', 'gateway.db'] as const;
/** A gateway that has lost its ledger has its spool. */
const MARKS = [...LEDGERS, 'spool'] as const;

/** The parts that this data folder has, by the role of its daemon. */
export interface Ledgers {
  readonly core: CoreAdministration | null;
  readonly gateway: Administration | null;
}

/** Opens what the role has, does the work, and closes it. Throws `usage` when the key file is not the one that the ledgers need. */
export async function withLedgers<Result>(config: Config, work: (ledgers: Ledgers, seal: Seal) => Promise<Result>): Promise<Result> {
  prepareData(config.data);
  await ensureKey(config);
  return withAnyKey(config, async (ledgers, seal) => {
    const { core, gateway } = ledgers;
    refuseForeign(seal, core ? await readSealedInCore(core.ledger.read) : []);
    refuseForeign(seal, gateway ? await readSealed(gateway.ledger.read) : []);
    return work(ledgers, seal);
  });
}

/** A key file of its own, before the first ledger is made. Throws `usage` when there are ledgers, which need the missing one. */
export async function ensureKey(config: Pick<Config, 'masterKey' | 'data'>): Promise<void> {
  const lost = lostKey(config);
  if (lost !== undefined) throw new AppError('usage', lost);
  await openSeal(masterKeyPath(config), systemRandom);
}

/** A sentence, where there are ledgers and the key file that they need is not there. */
export function lostKey(config: Pick<Config, 'masterKey' | 'data'>): string | undefined {
  const path = masterKeyPath(config);
  if (existsSync(path) || !LEDGERS.some((name) => existsSync(join(config.data, name)))) return undefined;
  return `The key file ${path} is not there, and the ledgers in ${config.data} need it: ${KEY_REMEDY}`;
}

/** The same, whatever the ledgers were sealed with, and with a new key file where none is. */
export async function withAnyKey<Result>(config: Config, work: (ledgers: Ledgers, seal: Seal) => Promise<Result>): Promise<Result> {
  const { role, environment, data } = config;
  prepareData(data);
  const life = new Lifecycle();
  const [clock, random] = [systemClock, systemRandom];
  try {
    const seal = await openSeal(masterKeyPath(config), random);
    const server = databaseServer(config);
    const coreLedger = role === 'gateway' ? null : life.own(await openCoreLedger(coreLedgerPath(data), server), (opened) => opened.close());
    const gatewayLedger = role === 'core' ? null : life.own(await openGatewayLedger(data, server), (opened) => opened.close());
    const core = coreLedger && { ledger: coreLedger, environment, clock, random };
    return await work({ core, gateway: gatewayLedger && { ledger: gatewayLedger, data, seal, clock } }, seal);
  } finally {
    await life.stop();
  }
}

/**
 * Whether a daemon or a command has worked on this data folder. A folder that cannot be used counts, too: opening it names the fault; and so does
 * PostgreSQL.
 */
export function isInstalled({ data, database }: Pick<Config, 'data' | 'database'>): boolean {
  if (database.url !== null) return true;
  try {
    const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
    return isThere(data) && (!statSync(data).isDirectory() || MARKS.some((name) => isThere(join(data, name))));
  } catch {
    return true;
  }
}

/** PostgreSQL, where the ledgers are in it; null where they are files. */
export function databaseServer({ database: { url, password, sslmode, ca, connections } }: Pick<Config, 'database'>): DatabaseServer | null {
  if (url === null) return null;
  const isLocal = url.host.startsWith('/') || isLoopback(url.host);
  const isEncrypted = sslmode === null ? !isLocal : sslmode === 'verify-full';
  return { ...url, password: password?.trim() ?? null, isEncrypted, ca, connectionsMax: connections };
}

export function coreLedgerPath(data: string): string {
  return join(data, 'core.db');
}

/** The key file that secrets are sealed with. */
export function masterKeyPath({ masterKey, data }: Pick<Config, 'masterKey' | 'data'>): string {
  return masterKey ?? sealPath(data);
}

/** The core's side, or a sentence why there is none. */
export function coreOf({ core }: Ledgers): CoreAdministration {
  if (core) return core;
  throw new AppError('usage', 'This is a gateway without a core of its own: do it where the core runs.');
}

/** The gateway's side, or a sentence why there is none. */
export function gatewayOf({ gateway }: Ledgers): Administration {
  if (gateway) return gateway;
  throw new AppError('usage', 'This is a core without a gateway: homes and logins belong to the machine where the gateway runs.');
}

/**
 * Makes the data folder. When root works on a folder that belongs to somebody else, the process becomes that user first: a file of
 * root's among the others would stop the daemon. Throws `usage` when this user may not write there.
 */
export function prepareData(data: string): void {
  try {
    ensureFolder(data);
    becomeOwner(data);
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason';
    throw new AppError(
      'usage',
      `The data folder ${data} cannot be used (${reason}): run this as its owner or as root, or name another one as 'data' in the configuration.`,
      { cause: error },
    );
  }
}

function becomeOwner(data: string): void {
  const { uid, gid } = statSync(data);
  if (process.getuid?.() !== 0 || uid === 0) return;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
