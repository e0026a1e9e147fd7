// The key file that secrets in the ledgers are sealed with: where it is, and that it is not lost.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#domain/error.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { systemRandom } from '#runtime/clock.ts';
import type { Config } from '#runtime/config/config.ts';
import { isThere } from '#runtime/files/rights.ts';
import { KEY_REMEDY, openSeal } from '#runtime/seal.ts';
import { LEDGER_FILES } from './data-folder.ts';

type Keyed = Pick<Config, 'role' | 'node' | 'masterKey' | 'data' | 'database'>;

/**
 * A key file of its own, before the first ledger is made. Throws `usage` where a node's data folder is not that of the others, unless it may be `any`, and
 * when there are ledgers, which need the missing key.
 */
export async function ensureKey(config: Keyed, folder: 'shared' | 'any' = 'shared'): Promise<void> {
  const unlike = folder === 'shared' && config.node !== null ? await (await import('./shared-folder.ts')).unlikeFolder(config) : undefined;
  const refusal = unlike ?? (await lostKey(config));
  if (refusal !== undefined) throw new AppError('usage', refusal);
  await openSeal(masterKeyPath(config), systemRandom);
}

/**
 * A sentence, where there are ledgers and the key file that they need is not there. Throws `usage` where this user may not look for it, and what keeps
 * PostgreSQL from saying whether there are ledgers.
 */
export async function lostKey(config: Keyed): Promise<string | undefined> {
  const path = masterKeyPath(config);
  if (isThere(path) || !(await hasLedgers(config))) return undefined;
  return `The key file ${path} is not there, and the ledgers ${config.database.url === null ? `in ${config.data}` : 'in PostgreSQL'} need it: ${KEY_REMEDY}`;
}

/**
 * In a data folder, of any role, for they have its key file in common. In PostgreSQL, of the role: gateways and cores may share a database, and have a
 * key file each.
 */
async function hasLedgers(config: Keyed): Promise<boolean> {
  const { role, data } = config;
  if (config.database.url === null) return LEDGER_FILES.some((name) => existsSync(join(data, name)));
  const { isMade, LEDGERS_OF } = await import('./ledger-places.ts');
  return (await Promise.all(LEDGERS_OF[role].map((ledger) => isMade(ledger, config)))).includes(true);
}

/** The key file that secrets are sealed with. */
export function masterKeyPath({ masterKey, data }: Pick<Config, 'masterKey' | 'data'>): string {
  return masterKey ?? sealPath(data);
}
