// The seller and the buyer of the demo: two accounts to try with, on this machine only.
import { join } from 'node:path';
import { listAccounts } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import { knownHostsLine, loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { generatedPassword } from '#operations/credentials.ts';
import { coreOf } from '#operations/installation.ts';
import { withLedgers } from '#operations/ledgers.ts';
import { createAccount } from '#operations/new-account.ts';
import type { Config } from '#runtime/config/config.ts';
import { listenersOf } from '#runtime/config/listeners.ts';
import { replaceDurable } from '#runtime/files/durable.ts';
import { isLoopback } from '#runtime/networks.ts';

export const SELLER = { accountRegNo: 'seller', name: 'Northern Paper Supplies AB', participant: '0088:7300010000001' } as const;
export const BUYER = { accountRegNo: 'buyer', name: 'Goods and Mail AB', participant: '0088:7350000000016' } as const;

/** What may be shown once: the ledgers keep neither. */
export interface DemoAccount {
  readonly accountRegNo: string;
  readonly password: string;
  readonly apiKey: string;
}

/** Throws `usage` when others than this machine could reach the demo. */
export function checkDemo({ role, sftp, core }: Config): void {
  const isOurs = listenersOf(sftp).every(({ listen }) => isLoopback(listen.host)) && 'host' in core.listen && isLoopback(core.listen.host);
  if (role === 'all' && isOurs) return;
  throw new AppError('usage', '--demo makes accounts to play with: it needs role all, and sftp.listen and core.listen on 127.0.0.1.');
}

/** On the very first start, with no accounts in the core, makes both. Null when there are some. */
export function makeDemoAccounts(config: Config): Promise<DemoAccount[] | null> {
  return withLedgers(config, async (ledgers) => {
    if ((await listAccounts(coreOf(ledgers))).length > 0) return null;
    const made: DemoAccount[] = [];
    for (const { accountRegNo, name, participant } of [SELLER, BUYER]) {
      const { password, passwordHash } = await generatedPassword();
      const login = { login: accountRegNo, passwordHash, publicKeys: [] };
      const apiKey = await createAccount(ledgers, { accountRegNo, name, participants: [participant], login });
      made.push({ accountRegNo, password, apiKey });
    }
    return made;
  });
}

/** Writes the server's host keys in the form of known_hosts, so that a client can be sure of it, and returns the file's path. */
export async function writeKnownHosts(data: string, port: number): Promise<string> {
  const path = join(data, 'known_hosts');
  const lines = (await loadHostKeys(join(data, 'keys'))).map((key) => `${knownHostsLine(key, '127.0.0.1', port)}\n`);
  await replaceDurable(path, Buffer.from(lines.join('')), 0o644);
  return path;
}
