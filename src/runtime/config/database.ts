// The kind of the setting that says where PostgreSQL is.
import type { PlainKind } from './kinds.ts';

export interface DatabaseUrl {
  /** A name, an address, or the folder of a unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

const PORT = 5_432;
const EXPECTED = 'must be postgres://ROLE@HOST/DATABASE, or postgres://ROLE@%2Fvar%2Frun%2Fpostgresql/DATABASE for a unix socket';

/** `postgres://ROLE@HOST:PORT/DATABASE`. */
export const databaseUrl: PlainKind<DatabaseUrl> = {
  read(raw) {
    const url = typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : undefined;
    if (!url || !/^postgres(?:ql)?:$/.test(url.protocol)) return { problem: EXPECTED };
    if (url.password) return { problem: 'must not hold the password: name where it is kept in database.password' };
    if (url.search || url.hash) return { problem: 'must not hold a ? or #: see database.sslmode, ca and connections' };
    try {
      const [host, user, database] = [url.hostname.replace(/^\[|\]$/g, ''), url.username, url.pathname.slice(1)].map(decodeURIComponent);
      if (!host || !user || !database || database.includes('/')) return { problem: EXPECTED };
      return { value: Object.freeze({ host, port: url.port === '' ? PORT : Number(url.port), user, database }) };
    } catch {
      return { problem: EXPECTED };
    }
  },
};
