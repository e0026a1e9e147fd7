// The database server that the configuration names.
import type { DatabaseServer } from '#engines/open.ts';
import type { Config } from '#runtime/config/config.ts';
import { isLoopback } from '#runtime/networks.ts';

/** PostgreSQL, where the ledgers are in it; null where they are files. */
export function databaseServer({ database: { url, password, sslmode, ca, connections } }: Pick<Config, 'database'>): DatabaseServer | null {
  if (url === null) return null;
  const isLocal = url.host.startsWith('/') || isLoopback(url.host);
  const isEncrypted = sslmode === null ? !isLocal : sslmode === 'verify-full';
  return { ...url, password: password?.trim() ?? null, isEncrypted, ca, connectionsMax: connections };
}
