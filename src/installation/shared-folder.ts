// Whether the data folder of a node is the one that the nodes of its ledger share, before anything else is looked for in it.
import { unlikeOf } from '#gateway/nodes/folder.ts';
import type { Config } from '#runtime/config/config.ts';
import { askGatewayLedger } from './gateway-ledger.ts';

type Placed = Pick<Config, 'role' | 'node' | 'data' | 'database'>;

/**
 * A sentence, where a node has mounted something else than the others, or nothing: what it misses there, as the key file, is not lost. `saying`: the
 * command that says that this is the folder from now on. Makes nothing. Throws what keeps PostgreSQL from saying which folder it is.
 */
export async function unlikeFolder(config: Placed, saying?: string): Promise<string | undefined> {
  const { role, node, data, database } = config;
  if (role === 'core' || node === null || database.url === null) return undefined;
  return askGatewayLedger(config, ({ read }) => unlikeOf(read, data, saying));
}
