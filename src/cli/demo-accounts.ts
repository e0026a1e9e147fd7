// The seller and the buyer of the demo, and the operator of its page: to try with, on this machine only.
import { join } from 'node:path';
import { listAccounts } from '#core/operate/administration.ts';
import { AppError } from '#domain/error.ts';
import { readOperators } from '#gateway/ledger/operators.ts';
import type { Administration } from '#gateway/operate/administration.ts';
import { addOperator } from '#gateway/operate/operators.ts';
import { knownHostsLine, loadHostKeys } from '#gateway/sftp/host-keys.ts';
import { generatedPassword } from '#operations/credentials.ts';
import { coreOf, gatewayOf } from '#operations/installation.ts';
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

/** All that may be shown once. */
export interface DemoSecrets {
  readonly accounts: readonly DemoAccount[];
  /** Null where the daemon has no page, or somebody has added operators. */
  readonly operator: { readonly operator: string; readonly password: string } | null;
}

const OPERATOR = 'demo';

/** Throws `usage` when others than this machine could reach the demo. */
export function checkDemo({ role, sftp, core, admin }: Config): void {
  const isOurs = listenersOf(sftp).every(({ listen }) => isLoopback(listen.host)) && 'host' in core.listen && isLoopback(core.listen.host);
  if (role === 'all' && isOurs && (admin.listen === null || isLoopback(admin.listen.host))) return;
  throw new AppError(
    'usage',
    '--demo makes accounts to play with: it needs role all, and sftp.listen, core.listen and admin.listen on 127.0.0.1.',
  );
}

/** On the very first start, with no accounts in the core, makes both, and an operator. Null when there are some. */
export function makeDemo(config: Config): Promise<DemoSecrets | null> {
  return withLedgers(config, async (ledgers) => {
    if ((await listAccounts(coreOf(ledgers))).length > 0) return null;
    const accounts: DemoAccount[] = [];
    for (const { accountRegNo, name, participant } of [SELLER, BUYER]) {
      const { password, passwordHash } = await generatedPassword();
      const login = { login: accountRegNo, passwordHash, publicKeys: [] };
      const apiKey = await createAccount(ledgers, { accountRegNo, name, participants: [participant], login });
      accounts.push({ accountRegNo, password, apiKey });
    }
    return { accounts, operator: config.admin.listen === null ? null : await makeOperator(gatewayOf(ledgers)) };
  });
}

async function makeOperator(on: Administration): Promise<DemoSecrets['operator']> {
  if ((await readOperators(on.ledger.read)).length > 0) return null;
  const { password, passwordHash } = await generatedPassword();
  await addOperator(on, OPERATOR, 'act', passwordHash);
  return { operator: OPERATOR, password };
}

/** Writes the host keys of the server at these ports in the form of known_hosts, so that a client can be sure of it, and returns the file's path. */
export async function writeKnownHosts(data: string, ...ports: readonly number[]): Promise<string> {
  const path = join(data, 'known_hosts');
  const keys = await loadHostKeys(join(data, 'keys'));
  const lines = ports.flatMap((port) => keys.map((key) => `${knownHostsLine(key, '127.0.0.1', port)}\n`));
  await replaceDurable(path, Buffer.from(lines.join('')), { mode: 0o644 });
  return path;
}
