// `masterKey` names the file that secrets in the ledgers are sealed with, for example a systemd credential: with another one they stay shut.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { openCoreLedger } from '#core/ledger/open.ts';
import { secretPlace } from '#core/ledger/sealed.ts';
import { findWebhook, insertWebhook } from '#core/ledger/webhooks.ts';
import { addAccount } from '#core/operate/administration.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import { connectedTo, hasPostgres, newPostgresDatabase } from '../../support/postgres.ts';
import { command } from '../../support/terminal.ts';

const ID = '7f0a6b7e-0000-4000-8000-000000000001';

it('seals what is secret with the key file that masterKey names, and with no other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-master-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [data, config, masterKey] = [join(folder, 'data'), join(folder, 'dropgate.yaml'), join(folder, 'credentials', 'master.key')];
  for (const each of [data, join(folder, 'credentials')]) mkdirSync(each);
  writeFileSync(config, `role: core\ndata: ${data}\nmasterKey: ${masterKey}\n`);
  await openSeal(masterKey, systemRandom);
  const ledger = await openCoreLedger(join(data, 'core.db'));
  onTestFinished(() => ledger.close());
  const on = { ledger, environment: 'test', clock: systemClock, random: systemRandom } as const;
  await addAccount(on, { accountRegNo: 'buyer', name: 'Buyer', participants: [] });
  const holder = { scope: 'account', accountRegNo: 'buyer' } as const;
  await ledger.write([], (rows) => insertWebhook(rows, holder, { id: ID, url: 'https://erp.example', types: ['new_document'] }, 0));

  const { status, out } = await command(['webhook', 'sign', ID, '--json', '--config', config]);
  expect(status).toBe(0);
  const { secret } = JSON.parse(out);
  const place = secretPlace('signing secret of webhook', ID);
  const sealed = (await findWebhook(ledger.read, holder))?.signing_sealed ?? new Uint8Array();
  expect((await openSeal(masterKey, systemRandom)).open(sealed, place)).toBe(secret);
  // Not in the data folder, where a backup would take it along with what it opens.
  expect(existsSync(sealPath(data))).toBe(false);
  const other = await openSeal(join(folder, 'other.key'), systemRandom);
  expect(() => other.open(sealed, place)).toThrow();
  expect(readFileSync(masterKey).includes(secret)).toBe(false);
});

it.runIf(hasPostgres)('makes no key file in place of one that ledgers in PostgreSQL need', async () => {
  await using database = await newPostgresDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-master-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [data, config] = [join(folder, 'data'), join(folder, 'dropgate.yaml')];
  const password = join(folder, 'password');
  writeFileSync(password, database.place.password ?? '', { mode: 0o600 });
  const { url } = connectedTo(database.place).config.database;
  writeFileSync(config, stringify({ role: 'core', data, database: { url, password: { file: password } } }));
  const add = (accountRegNo: string) => command(['account', 'add', accountRegNo, '--name', accountRegNo, '--config', config]);
  expect((await add('first')).status).toBe(0);
  rmSync(sealPath(data));
  const { status, err } = await add('second');
  expect(status).toBe(64);
  expect(err).toContain('the ledgers in PostgreSQL need it');
  expect(existsSync(sealPath(data))).toBe(false);
});
