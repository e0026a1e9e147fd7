// A data folder that another version of Dropgate has made: every command says so, and what to do; nothing of it is changed.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { coreSchema } from '#core/ledger/schema.ts';
import { sealPath } from '#gateway/disk/paths.ts';
import { isOn } from '../../support/engine.ts';
import { command } from '../../support/terminal.ts';

const LEDGERS = ['core', 'gateway'] as const;
const WAY = [
  "until 'dropgate items' shows nothing open",
  "'dropgate export'",
  "name an empty folder as 'data'",
  "'dropgate apply' what was exported",
] as const;
const COMMANDS = [
  ['serve'],
  ['export'],
  ['items'],
  ['account', 'list'],
  ['login', 'disable', 'seller'],
  ['recover'],
  ['apply', 'declared.yaml'],
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-earlier-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

/** A data folder with the ledgers that a version has left, one file sent. */
function dataOf(version: string, ledgers: readonly string[], role = 'all'): string[] {
  const data = join(folder, 'data');
  mkdirSync(join(sealPath(data), '..'), { recursive: true });
  writeFileSync(sealPath(data), new Uint8Array(32));
  for (const ledger of ledgers) {
    using database = new DatabaseSync(join(data, `${ledger}.db`));
    database.exec(`pragma journal_mode = wal; ${readFileSync(resolve(`test/fixtures/ledgers/${version}/${ledger}.sql`), 'utf8')}`);
  }
  writeFileSync(join(folder, 'declared.yaml'), 'accounts: []\n');
  writeFileSync(
    join(folder, 'dropgate.yaml'),
    `role: ${role}\ndata: ${data}\nsftp: {listen: "127.0.0.1:0"}\ncore: {listen: "127.0.0.1:0"}\nadmin: {listen: off}\n${role === 'gateway' ? 'service: {url: "http://127.0.0.1:1"}\n' : ''}`,
  );
  return LEDGERS.map((ledger) => join(data, `${ledger}.db`));
}

const run = (args: readonly string[]) =>
  command([...args.map((each) => (each.endsWith('.yaml') ? join(folder, each) : each)), '--config', join(folder, 'dropgate.yaml')]);

function rowsOf(path: string): unknown {
  using database = new DatabaseSync(path);
  const tables = database.prepare(`select name, sql from sqlite_schema where type = 'table'`).all();
  return tables.map(({ name, sql }) => [sql, database.prepare(`select * from "${name}"`).all()]);
}

const ofFiles = isOn('SQLite', 'Ledgers of earlier and later versions as files');

describe.runIf(ofFiles).each(['c8b6b25', 'e24e948'])('of version %s', (version) => {
  it.each(COMMANDS)('%s %s says that it is an earlier one, and the way', async (...args) => {
    const paths = dataOf(version, LEDGERS);
    const before = paths.map(rowsOf);
    const { status, out, err } = await run(args);
    expect({ status, out }).toEqual({ status: 64, out: '' });
    expect(err).toContain(`${paths[0]} was made by an earlier version of Dropgate`);
    for (const step of WAY) expect(err).toContain(step);
    expect(paths.map(rowsOf)).toEqual(before);
  });

  it.each(LEDGERS)('the %s alone says so, too', async (role) => {
    dataOf(version, [role], role);
    const { status, err } = await run(['account', 'list']);
    expect({ status, err }).toEqual({ status: 64, err: expect.stringContaining(`${role}.db was made by an earlier version`) });
  });
});

it.runIf(ofFiles)('of a later version is refused, too', async () => {
  dataOf('', []);
  expect(await run(['account', 'add', 'seller', '--name', 'Seller AB'])).toMatchObject({ status: 0 });
  for (const ledger of LEDGERS) {
    using database = new DatabaseSync(join(folder, 'data', `${ledger}.db`));
    database.exec('update schema_version set version = version + 1');
  }
  const { version: known } = coreSchema;
  for (const args of COMMANDS) {
    const { status, err } = await run(args);
    expect({ status, err }, args.join(' ')).toEqual({
      status: 64,
      err: expect.stringContaining(
        `was made by a later version of Dropgate (its schema is ${known + 1}, this one knows ${known}): run that version`,
      ),
    });
  }
});
