// The ledgers of the data folder, opened by a command. A daemon may run beside it: SQLite takes several processes, and it notices within two seconds.
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CoreAdministration } from '#core/administration.ts';
import { openCoreLedger } from '#core/ledger/open.ts';
import { AppError } from '#domain/error.ts';
import { type Administration, openGatewayLedger } from '#gateway/accounts/administration.ts';
import { sealPath } from '#gateway/home/home.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import type { Config } from '#runtime/config.ts';
import { ensureFolder } from '#runtime/files.ts';
import { Lifecycle } from '#runtime/lifecycle.ts';
import { openSeal } from '#runtime/seal.ts';

/** The parts that this data folder has, by the role of its daemon. */
export interface Ledgers {
  readonly core: CoreAdministration | null;
  readonly gateway: Administration | null;
}

/** Opens what the role has, does the work, and closes it. */
export async function withLedgers<Result>(config: Config, work: (ledgers: Ledgers) => Promise<Result>): Promise<Result> {
  const { role, environment, data } = config;
  prepareData(data);
  const life = new Lifecycle();
  const [clock, random] = [systemClock, systemRandom];
  try {
    const coreLedger = role === 'gateway' ? null : life.own(await openCoreLedger(coreLedgerPath(data)), (opened) => opened.close());
    const gatewayLedger = role === 'core' ? null : life.own(await openGatewayLedger(data), (opened) => opened.close());
    return await work({
      core: coreLedger && { ledger: coreLedger, environment, clock, random },
      gateway: gatewayLedger && { ledger: gatewayLedger, data, seal: await openSeal(masterKeyPath(config), random), clock },
    });
  } finally {
    await life.stop();
  }
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
