// Where a ledger is in PostgreSQL: how the server is reached, and the schema that holds the tables.
import type { ConnectionConfig } from 'pg';
import type { DatabaseUrl } from '#runtime/config/database.ts';

export interface PostgresPlace extends DatabaseUrl {
  readonly password: string | null;
  /** Of the tables; lower case letters and `_`. */
  readonly schema: string;
  /** For which process it is opened, as its sessions are named. */
  readonly process?: string | undefined;
  /** Whether the connection is TLS, and the server's certificate has to name the host. */
  readonly isEncrypted: boolean;
  /** PEM: authorities to trust in place of those that everybody trusts. */
  readonly ca: string | null;
  /** Connections for writes; as many are for reads. */
  readonly connectionsMax: number;
}

/** As sentences name it. */
export function shownPlace({ host, port, user, database }: PostgresPlace): string {
  return `database ${database} at ${host.startsWith('/') ? host : `${host}:${port}`} (as ${user})`;
}

/** What `pg` takes of it: all that it would look for in the environment is told. */
export function reachedBy({ host, port, user, password, database, isEncrypted, ca }: PostgresPlace): ConnectionConfig {
  return {
    host,
    port,
    user,
    database,
    // Asked for one that is not there, pg would leave the connection open; the server refuses a wrong one.
    password: () => password ?? 'none',
    ssl: isEncrypted && { ...(ca !== null && { ca }) },
    sslnegotiation: 'postgres',
  };
}
