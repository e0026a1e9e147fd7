// What a node knows of accounts and logins while others change them: each change as a whole.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { LedgerAccounts } from '#gateway/accounts/accounts.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { putAccount } from '#gateway/operate/accounts.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { openSeal } from '#runtime/seal.ts';
import { manualClock } from '../../../support/clock.ts';
import { hasPostgres, newPostgresDatabase } from '../../../support/postgres.ts';
import { until } from '../../../support/until.ts';

it.runIf(hasPostgres)('sees a login with its home, or not yet, though both were made while it was reading', async () => {
  const database = await newPostgresDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const data = mkdtempSync(join(tmpdir(), 'dropgate-picture-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const clock = manualClock();
  const seal = await openSeal(sealPath(data), systemRandom);
  const opened = async (process: string) => {
    const ledger = await openGatewayLedger(data, database.place, { process });
    onTestFinished(() => ledger.close());
    return ledger;
  };
  const [here, there] = [await opened('here'), await opened('there')];
  const accounts = await LedgerAccounts.open({ ledger: here, seal, clock, log: openLog('silent') });
  onTestFinished(() => accounts[Symbol.dispose]());
  const administration = { data, ledger: there, seal, clock };
  await putAccount(administration, 'first', 'key');

  const { host, port, user, password, database: name } = database.place;
  const other = new pg.Client({ host, port, user, password: password ?? '', database: name });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`begin; lock table dropgate_gateway.logins in access exclusive mode`);
  const refreshing = accounts.refresh();
  const waits = `select from pg_locks where relation = 'dropgate_gateway.logins'::regclass and not granted`;
  await until('it to have read the accounts', async () => (await database.administer(waits)).rowCount === 1);
  await putAccount(administration, 'second', 'key');
  await other.query(`
    insert into dropgate_gateway.logins (login, created_at) values ('erp', 0);
    insert into dropgate_gateway.login_homes (login, home, folder) values ('erp', 'second', '');
    update dropgate_gateway.revisions set revision = revision + 1 where name = 'accounts';
    commit`);
  await refreshing;
  expect(accounts.logins.find('erp')).toMatchObject({ homes: [{ home: 'second', folder: '' }] });
});
