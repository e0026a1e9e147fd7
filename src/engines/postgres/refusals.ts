// Why a ledger in PostgreSQL is not opened: sentences that say what to do.
import { AppError, type ErrorCode } from '#domain/error.ts';
import type { Clock } from '#runtime/clock.ts';
import { type PostgresPlace, shownPlace } from './place.ts';
import type { Speech } from './session.ts';

const VERSION_MIN = 14;

/** Between the server and this process: times of both stand in one ledger. */
const CLOCK_OFF_MS_MAX = 5_000;

interface Refusal {
  readonly code: ErrorCode;
  /** Follows the name of the database. */
  readonly sentence: string;
}

const refusal = (sentence: string, code: ErrorCode = 'usage'): Refusal => ({ code, sentence });

const UNREACHED = refusal('cannot be reached: start PostgreSQL, or mend database.url', 'storage');
const STRANGE = refusal('does not answer as PostgreSQL does: start PostgreSQL, or mend database.url', 'storage');
const UNPERMITTED = refusal('does not let this role make or use its schema: make the role the owner of the database');
const UNTRUSTED = refusal(
  'has a certificate that is not trusted, or not made for this host: name its authority in database.ca, and the host as the certificate does',
);

const POOLED = refusal(
  'is behind a pooler that does not pass on what a session asks for: name PostgreSQL itself in database.url, not a pooler',
);

/** By SQLSTATE, by the code of the system or of TLS, or by what pg says. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  ECONNREFUSED: UNREACHED,
  ECONNRESET: UNREACHED,
  EHOSTUNREACH: UNREACHED,
  ETIMEDOUT: UNREACHED,
  ENOENT: UNREACHED,
  EAI_AGAIN: UNREACHED,
  ENOTFOUND: refusal('is at a host that DNS does not know: mend database.url'),
  EACCES: refusal('has a socket that this user may not use: mend its rights, or name another one in database.url'),
  '28P01': refusal('does not take the password: mend database.password'),
  '28000': refusal('does not let this role in: create it, or permit it in pg_hba.conf'),
  '3D000': refusal("is not there: create it with createdb --encoding=UTF8 --template=template0, owned by database.url's role"),
  '42501': UNPERMITTED,
  '57P03': refusal('is starting or stopping: try again', 'storage'),
  '55000': refusal('is a standby, which takes no changes: name the primary in database.url'),
  '53300': refusal('has no connection left: raise max_connections of PostgreSQL, or lower database.connections', 'storage'),
  ERR_TLS_CERT_ALTNAME_INVALID: UNTRUSTED,
  CERT_HAS_EXPIRED: refusal('has a certificate that has expired: renew it'),
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  'Connection terminated unexpectedly': STRANGE,
  'Connection terminated due to connection timeout': STRANGE,
  'There was an error establishing an SSL connection': STRANGE,
  // PgBouncer says so.
  'unsupported startup parameter: options': POOLED,
  'unsupported startup parameter in options: search_path': POOLED,
  'The server does not support SSL connections': refusal(
    'does not speak TLS: set ssl = on in postgresql.conf, or database.sslmode: disable where nobody can listen',
  ),
};

/** What stood in the way of opening a ledger, as a sentence; what is one already stays. */
export function refusalOf(place: PostgresPlace, error: unknown): unknown {
  if (error instanceof AppError) return error;
  const { code: reported, message } = reportOf(error);
  return refused(place, REFUSALS[reported] ?? REFUSALS[message] ?? refusal(`cannot be used (${message})`, 'storage'), error);
}

function refused(place: PostgresPlace, { code, sentence }: Refusal, cause?: unknown): AppError {
  return new AppError(code, `The ${shownPlace(place)} ${sentence}.`, { cause });
}

function reportOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: '', message: 'unknown reason' };
  return { code: 'code' in error ? String(error.code) : '', message: error.message };
}

const FACTS = `
  select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding,
    current_setting('fsync') as fsync, current_setting('search_path') as schema, floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`;

/** Refuses a server that a ledger cannot trust. Throws `usage`. */
export async function checkServer(session: Speech, place: PostgresPlace, clock: Clock): Promise<void> {
  const asked = clock.now();
  const [answer] = await session.say(FACTS);
  const answered = clock.now();
  const { version, encoding, fsync, schema, now } = answer?.rows[0] ?? {};
  // It looked at its clock between the two.
  const offMs = Math.max(asked - Number(now), Number(now) - answered);
  const wrong = [
    Number(version) < VERSION_MIN && `is PostgreSQL ${version}: ${VERSION_MIN} or newer is needed`,
    encoding !== 'UTF8' && `has the encoding ${encoding}: create one with --encoding=UTF8 --template=template0`,
    fsync !== 'on' && 'does not fsync what it commits: set fsync = on in postgresql.conf',
    schema !== place.schema && POOLED.sentence,
    offMs > CLOCK_OFF_MS_MAX &&
      `has a clock that is ${Math.round(offMs / 1_000)} s off this machine's: let both follow the same time servers (NTP)`,
  ].find((sentence) => sentence !== false);
  if (wrong !== undefined) throw refused(place, refusal(wrong));
}

/** Refuses a database in which the tables cannot be made. Throws `usage`. */
export async function checkRights(session: Speech, place: PostgresPlace): Promise<void> {
  const [answer] = await session.say(
    `select has_database_privilege(current_database(), 'create')
      and coalesce(has_schema_privilege(to_regnamespace('${place.schema}'), 'create, usage'), true) as may_make`,
  );
  if (answer?.rows[0]?.may_make !== 1) throw refused(place, UNPERMITTED);
}
