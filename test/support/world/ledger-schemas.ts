// The same where ledgers are in PostgreSQL, by the programs that the administrator's manual names; a ledger is told by the file that it would be on SQLite.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { PostgresPlace } from '#engines/postgres/place.ts';
import { keepPlace, placeOf, schemaOf } from '../ledger-places.ts';
import { postgresPrograms } from '../postgres-server.ts';

const DUMP_BYTES_MAX = 2 ** 30;

/** Replaces what the other one holds. */
export function copySchema(from: string, to: string): void {
  const [source, target] = [known(from), placeOf(to) ?? keepPlace(to, { ...known(from), schema: schemaOf(to) })];
  const dump = ran('pg_dump', source, [`--schema=${source.schema}`]);
  say(target, `drop schema if exists ${target.schema} cascade;\n${dump.toString().replaceAll(source.schema, target.schema)}`);
}

export function dropSchema(file: string): void {
  const place = known(file);
  say(place, `drop schema if exists ${place.schema} cascade`);
}

/** With every blob as the bytes that it is, where these can be told. */
export function dumped(file: string): NonSharedBuffer {
  const place = known(file);
  return ran('pg_dump', place, [`--schema=${place.schema}`], { options: '-c bytea_output=escape' });
}

/** `writes`: in the words of a trigger. */
export function refuseInSchema(file: string, writes: string, when = 'true'): Disposable {
  const place = known(file);
  const [, table = ''] = /on (\w+)$/.exec(writes) ?? [];
  say(
    place,
    `create function ${place.schema}.refuse() returns trigger language plpgsql as $$ begin raise exception 'the disk is full'; end $$;
    set search_path = ${place.schema};
    create trigger refusing before ${writes} for each row when (${when}) execute function refuse()`,
  );
  return {
    [Symbol.dispose]: () => say(place, `drop trigger refusing on ${place.schema}.${table}; drop function ${place.schema}.refuse()`),
  };
}

/** Its tables need no schema before their names. */
export function sayToSchema(file: string, statement: string): void {
  const place = known(file);
  say(place, `set search_path = ${place.schema}; ${statement}`);
}

export function makeSchemaLater(file: string): void {
  sayToSchema(file, 'update schema_version set version = 999');
}

function known(file: string): PostgresPlace {
  const place = placeOf(file);
  if (place === undefined) throw new Error(`${file} is not in PostgreSQL`);
  return place;
}

function say(place: PostgresPlace, statements: string): void {
  ran('psql', place, ['--quiet', '--no-psqlrc', '--set=ON_ERROR_STOP=1', '--single-transaction'], { input: statements });
}

interface Told {
  readonly input?: string;
  /** Of the session. */
  readonly options?: string;
}

function ran(
  program: string,
  { host, port, user, password, database }: PostgresPlace,
  args: readonly string[],
  told: Told = {},
): NonSharedBuffer {
  const place = [`--host=${host}`, `--port=${port}`, `--username=${user}`, `--dbname=${database}`];
  return execFileSync(join(postgresPrograms() ?? '', program), [...place, ...args], {
    input: told.input ?? '',
    maxBuffer: DUMP_BYTES_MAX,
    env: { PGPASSWORD: password ?? '', PGOPTIONS: told.options ?? '' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
