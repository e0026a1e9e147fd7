// How many connections to PostgreSQL a ledger uses, of how many, as metrics tell it.
import { expect, it, onTestFinished } from 'vitest';
import { readConnections } from '#engines/connections.ts';
import { openPostgres } from '#engines/postgres/postgres.ts';
import { Metrics, metricsText } from '#runtime/metrics.ts';
import { hasPostgres, newPostgresDatabase } from '../support/postgres.ts';

it.runIf(hasPostgres)('connections are told while a write has one, and when it has given it back', async () => {
  const held = await newPostgresDatabase();
  onTestFinished(() => held[Symbol.asyncDispose]());
  const database = await openPostgres({ ...held.place, connectionsMax: 3 }, { version: 1, tables: {} });
  onTestFinished(() => database.close());
  async function told(): Promise<string> {
    const metrics = new Metrics();
    readConnections(metrics, 'core', database);
    return metricsText([await metrics.measured()]);
  }
  expect(await told()).toContain('dropgate_ledger_connections{ledger="core"} 0\n');
  const meanwhile = await database.write([], told);
  expect(meanwhile).toContain('dropgate_ledger_connections{ledger="core"} 1\n');
  expect(meanwhile).toContain('dropgate_ledger_connections_max{ledger="core"} 6\n');
  expect(await told()).toContain('dropgate_ledger_connections{ledger="core"} 0\n');
});
