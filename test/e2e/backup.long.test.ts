// A backup that is made while the daemon works, and put back into an empty folder: nothing that was acknowledged before it is lost, and nothing is sent twice.
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { backUpByHand, restoreByHand } from '../support/backup-by-hand.ts';
import { configure, SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { connectedTo, hasPostgres, newPostgresDatabase } from '../support/postgres.ts';
import { uploadInvoice } from '../support/sftp-clients.ts';
import { eventually, until } from '../support/until.ts';

const PASSPHRASE = 'correct horse battery staple';

function secretFile(daemon: TestDaemon, name = 'passphrase', content = PASSPHRASE): string {
  const file = join(daemon.folder, name);
  writeFileSync(file, `${content}\n`);
  return file;
}

const documentsIn = (daemon: TestDaemon, home: string, folder: string): string[] =>
  daemon.files(home, folder).map((name) => /DOC-\d+/.exec(name)?.[0] ?? name);

async function allMarkedRead(daemon: TestDaemon, count: number): Promise<void> {
  const headers = { authorization: `ApiKey ${daemon.apiKey('buyer')}` };
  await until('all to be marked read', async () => {
    const statuses = await fetch(`${daemon.coreUrl}/transaction/buyer/invoices/incoming/status?includeRead=true&limit=100`, { headers });
    return (await statuses.text()).match(/"readAt":"/g)?.length === count;
  });
}

/**
 * Uploads go on while the backup is made; resolves with those that were acknowledged before it began, and all. Those before have also come to the
 * buyer, and the core knows: of others a restored gateway cannot tell, and publishes them once more.
 */
async function backUpUnderLoad(
  daemon: TestDaemon,
  args: readonly string[],
  make = async () => expect(await daemon.cli(['backup', ...args])).toMatchObject({ status: 0, err: '' }),
): Promise<{ before: string[]; all: string[] }> {
  const all: string[] = [];
  const upload = async (): Promise<void> => {
    const id = `DOC-${1_000 + all.length}`;
    await uploadInvoice(daemon, id);
    all.push(id);
  };
  for (let n = 0; n < 5; n++) await upload();
  const before = [...all];
  await allMarkedRead(daemon, before.length);
  let isMade = false;
  const made = make().finally(() => (isMade = true));
  while (!isMade) await upload();
  await made;
  return { before, all };
}

async function loseEverything(daemon: TestDaemon): Promise<void> {
  await daemon.stop();
  renameSync(daemon.data, `${daemon.data}.lost`);
}

/** Each document of the backup has come to the buyer once, and the seller was told. */
async function expectAll(daemon: TestDaemon, ids: readonly string[]): Promise<void> {
  await eventually(() => {
    const outbox = documentsIn(daemon, 'buyer', 'outbox');
    expect(outbox.filter((id) => ids.includes(id)).sort()).toEqual([...ids].sort());
    expect(documentsIn(daemon, 'seller', 'accepted')).toEqual(expect.arrayContaining([...ids]));
  });
}

it('is made under load, encrypted, and restored into an empty folder', async () => {
  await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  const file = join(daemon.folder, 'all.backup');
  const args = [file, '--passphrase-file', secretFile(daemon)];
  const { before, all } = await backUpUnderLoad(daemon, args);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file).includes('DOC-1000')).toBe(false);
  expect(readdirSync(daemon.data).filter((name) => name.startsWith('backup-'))).toEqual([]);
  expect(await daemon.cli(['backup', ...args])).toMatchObject({ status: 73 });

  expect(await daemon.cli(['restore', ...args])).toMatchObject({ status: 75, err: expect.stringContaining('Another dropgate runs') });
  await daemon.stop();
  expect(await daemon.cli(['restore', ...args])).toMatchObject({ status: 73, err: expect.stringContaining('is not empty') });
  await loseEverything(daemon);
  const wrong = secretFile(daemon, 'wrong', 'another passphrase');
  expect(await daemon.cli(['restore', file, '--passphrase-file', wrong])).toMatchObject({ status: 65 });
  expect(await daemon.cli(['restore', file])).toMatchObject({ status: 64, err: expect.stringContaining('--passphrase-file') });
  const { status, out } = await daemon.cli(['restore', ...args]);
  const since = /resubmit --since (\S+)/.exec(out)?.[1] ?? '';
  expect({ status, since }).toEqual({ status: 0, since: expect.stringMatching(/^2\d{3}-/) });

  await daemon.start();
  expect(daemon.facts().findLast(({ event }) => event === 'recover.restored')).toBeDefined();
  expect(await daemon.cli(['resubmit', '--since', since])).toMatchObject({ status: 0 });
  await expectAll(daemon, before);
  // What came while it was made, the ERP sends again: it is recognised, or sent.
  for (const id of all) await uploadInvoice(daemon, id);
  await eventually(() => expect(documentsIn(daemon, 'buyer', 'outbox')).toEqual(expect.arrayContaining(all)));
  await expectAll(daemon, before);
});

describe.runIf(hasPostgres)('with PostgreSQL', () => {
  it.each(['PostgreSQL', 'SQLite'])('a backup is restored into %s', async (into) => {
    await using held = await newPostgresDatabase();
    await using empty = await newPostgresDatabase();
    const { config, env } = connectedTo(held.place);
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, config, env });
    const file = join(daemon.folder, 'all.backup');
    const { before } = await backUpUnderLoad(daemon, [file]);
    await loseEverything(daemon);
    const { database: _, ...others } = parse(readFileSync(daemon.configFile, 'utf8'));
    const target = into === 'SQLite' ? {} : connectedTo(empty.place).config;
    writeFileSync(daemon.configFile, stringify({ ...others, ...target }));
    const { status, out, err } = await daemon.cli(['restore', file]);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    await daemon.start();
    await daemon.cli(['resubmit', '--since', /resubmit --since (\S+)/.exec(out)?.[1] ?? '']);
    await expectAll(daemon, before);
  });
});

describe.runIf(hasPostgres)('by the programs of PostgreSQL', () => {
  it('a dump with the files beside it is restored into an empty database', async () => {
    await using held = await newPostgresDatabase();
    await using empty = await newPostgresDatabase();
    const { config, env } = connectedTo(held.place);
    await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER, config, env });
    const at = new Date().toISOString();
    const { before } = await backUpUnderLoad(daemon, [], () => backUpByHand(daemon, held));
    await loseEverything(daemon);
    await restoreByHand(daemon, empty);
    configure(daemon, connectedTo(empty.place).config);
    expect(await daemon.cli(['recover', '--restored'])).toMatchObject({ status: 0 });
    await daemon.start();
    expect(await daemon.cli(['resubmit', '--since', at])).toMatchObject({ status: 0 });
    await expectAll(daemon, before);
  });
});

it('a backup that was changed or cut off is refused, and leaves nothing', async () => {
  await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  await uploadInvoice(daemon, 'DOC-1000');
  await until('the receipt', () => documentsIn(daemon, 'seller', 'accepted').length > 0);
  const key = secretFile(daemon, 'key', 'k'.repeat(40));
  const [open, sealed] = [join(daemon.folder, 'open'), join(daemon.folder, 'sealed')];
  expect((await daemon.cli(['backup', open])).out).toContain('It holds the keys, and is not encrypted');
  expect(await daemon.cli(['backup', sealed, '--key-file', key])).toMatchObject({ status: 0 });
  await loseEverything(daemon);
  for (const [file, args] of [
    [open, []],
    [sealed, ['--key-file', key]],
  ] as const) {
    const whole = readFileSync(file);
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(whole.length - 200) ^ 1, whole.length - 200);
    for (const [name, bytes] of Object.entries({ changed, cut: whole.subarray(0, whole.length - 100) })) {
      const bad = join(daemon.folder, name);
      writeFileSync(bad, bytes);
      const { status, err } = await daemon.cli(['restore', bad, ...args]);
      expect({ file, name, status, err }).toEqual({ file, name, status: 65, err: expect.stringContaining('backup') });
      expect(readdirSync(daemon.data).filter((each) => !each.startsWith('lock'))).toEqual([]);
    }
    expect(await daemon.cli(['restore', file, ...args])).toMatchObject({ status: 0 });
    expect(existsSync(join(daemon.data, 'keys', 'secret.key'))).toBe(true);
    renameSync(daemon.data, `${file}.restored`);
  }
});
