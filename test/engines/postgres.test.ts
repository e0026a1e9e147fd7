import { afterAll, beforeAll, describe } from 'vitest';
import { openPostgres } from '#engines/postgres/postgres.ts';
import { hasPostgres, newPostgresDatabase, newSchema, type PostgresDatabase } from '../support/postgres.ts';
import { expectOfDatabase } from './database.ts';

describe.runIf(hasPostgres)('PostgreSQL', () => {
  let database: PostgresDatabase;
  beforeAll(async () => {
    database = await newPostgresDatabase();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  expectOfDatabase('PostgreSQL', async () => {
    const place = { ...database.place, schema: newSchema() };
    return {
      open: (schema) => openPostgres(place, schema),
      [Symbol.asyncDispose]: async () => {},
    };
  });
});
