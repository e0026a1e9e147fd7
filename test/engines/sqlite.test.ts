import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '#engines/sqlite/sqlite.ts';
import { expectOfDatabase } from './database.ts';

expectOfDatabase('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-sqlite-'));
  return {
    open: (schema, clock) => openSqlite(join(folder, 'test.db'), schema, { clock }),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
