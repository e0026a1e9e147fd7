// Databases of PostgreSQL for tests: one server for all tests of a run, a database for each that asks.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { PostgresPlace } from '#engines/postgres/place.ts';
import { isOnPostgres } from './engine.ts';
import { neededPackage } from './needed.ts';
import { type PostgresServer, postgresPrograms, ROLE } from './postgres-server.ts';

export const hasPostgres = neededPackage('PostgreSQL', postgresPrograms() !== undefined, 'postgresql');

let shared: Promise<PostgresServer> | undefined;

export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= askForServer();
  return shared;
}

async function askForServer(): Promise<PostgresServer> {
  return (await json(connect(process.env.DROPGATE_TEST_POSTGRES ?? ''))) as PostgresServer;
}

export interface PostgresDatabase extends AsyncDisposable {
  readonly place: PostgresPlace;
  /** Runs statements as the superuser, in this database. */
  administer(statements: string): Promise<pg.QueryResult>;
}

interface Wanted {
  /** The shared one, unless told. */
  readonly server?: PostgresServer;
  readonly name?: string;
  readonly encoding?: string;
}

/** A new database, by whose own order text does not sort by its bytes where there is one to be had, from 15 on. */
export async function newPostgresDatabase({ server, name, encoding = 'UTF8' }: Wanted = {}): Promise<PostgresDatabase> {
  const used = server ?? (await sharedPostgres());
  const database = name ?? `d_${randomUUID().replaceAll('-', '')}`;
  const order = used.version < 15 ? `locale 'C.UTF-8'` : `locale_provider icu icu_locale 'en-US' locale 'C.UTF-8'`;
  await administer(
    used,
    'postgres',
    `create database ${database} owner ${ROLE.user} template template0 encoding '${encoding}' ${encoding === 'UTF8' ? order : `locale 'C'`}`,
  );
  const { host, port } = used;
  return {
    place: { host, port, ...ROLE, database, schema: newSchema(), isEncrypted: false, ca: null, connectionsMax: 5 },
    administer: (statements) => administer(used, database, statements),
    [Symbol.asyncDispose]: async () => void (await administer(used, 'postgres', `drop database ${database} with (force)`)),
  };
}

/** For ledgers of the test that are opened in another thread: a database of its own, or null where the run's ledgers are files. */
export async function serverOfTest(): Promise<PostgresPlace | null> {
  if (!isOnPostgres) return null;
  const database = await newPostgresDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  return database.place;
}

/** What tells a daemon of a database; `at`: where it is to connect, a relay for example. */
export function connectedTo({ user, password, database, ...place }: PostgresPlace, at: Pick<PostgresPlace, 'host' | 'port'> = place) {
  const url = `postgres://${user}@${at.host}:${at.port}/${database}`;
  return { config: { database: { url, password: { env: 'DATABASE_PASSWORD' } } }, env: { DATABASE_PASSWORD: password ?? '' } };
}

/** Of tables that nobody else has. */
export function newSchema(): string {
  return `t_${randomUUID().replaceAll('-', '')}`;
}

/** Runs statements as the superuser. */
export async function administer({ host, port, password }: PostgresServer, database: string, statements: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ host, port, user: 'postgres', password, database });
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.query(statements);
  } finally {
    await client.end();
  }
}
