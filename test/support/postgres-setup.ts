// Once before all files: a door at which the tests of this run ask for their common PostgreSQL. It starts when the first one asks.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type StartedPostgres, startPostgres } from './postgres-server.ts';
import { TEMPORARY } from './temporary.ts';

/** It may be in memory. */
const LITTLE_ROOM = { max_wal_size: '128MB' };

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Another project of this run has been here.
  if (process.env.DROPGATE_TEST_POSTGRES !== undefined) return undefined;
  const folder = mkdtempSync(join(TEMPORARY, 'dropgate-door-'));
  let started: Promise<StartedPostgres> | undefined;
  const door = createServer((visitor) => {
    started ??= startPostgres({ parent: TEMPORARY, settings: LITTLE_ROOM });
    started.then(
      ({ server }) => visitor.end(JSON.stringify(server)),
      (error: unknown) => visitor.destroy(error instanceof Error ? error : undefined),
    );
  });
  const path = join(folder, 'door');
  await new Promise<void>((listening) => door.listen(path, listening));
  door.unref();
  process.env.DROPGATE_TEST_POSTGRES = path;
  return async () => {
    door.close();
    const running = await started?.catch(() => undefined);
    await running?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
}
