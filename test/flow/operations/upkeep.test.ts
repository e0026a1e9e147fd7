// Operations without open ledgers, by commands: what the checks, the backup and the recovery answer, and who may run them beside a daemon.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { putFolderId, readFolderId } from '#gateway/ledger/nodes.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { CLOSED_OPERATIONS } from '#operations/closed-table.ts';
import { lockFolder } from '#runtime/files/lock.ts';
import { isOn } from '../../support/engine.ts';
import { testSite } from '../../support/site.ts';

const site = testSite('sftp: {listen: "127.0.0.1:0"}\nadmin: {listen: off}\ncore: {listen: "127.0.0.1:0"}');
const { at, run } = site;
/** Of PostgreSQL test/e2e takes and puts back real backups. */
const takesBackups = isOn('SQLite', 'Backups of ledgers that are files');
const begin = () => run('account add 1 --name One --login one');
const answerOf = async (line: string): Promise<unknown> => JSON.parse((await run(`${line} --json`)).out);

it('check-config answers with what is in force, and what it has found', async () => {
  await begin();
  expect(await answerOf('check-config')).toMatchObject({
    file: site.config,
    effective: expect.stringContaining('settle'),
    findings: expect.arrayContaining([expect.objectContaining({ state: 'well' })]),
  });
});

it.runIf(takesBackups)('backup and restore answer with what they have written', async () => {
  await begin();
  const file = at('all.backup');
  expect(await answerOf(`backup ${file}`)).toMatchObject({ file, encrypted: false, holdsKey: true, leftOut: [] });
  rmSync(at('data'), { recursive: true });
  expect(await answerOf(`restore ${file}`)).toMatchObject({ file, role: 'all', hasKey: true });
  expect((await run('account list')).out).toContain('One');
});

/** As nodes have worked on another data folder; read, what their ledger says of this one. */
async function ofNodes<Result>(work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const ledger = await openGatewayLedger(at('data'));
  return work(ledger).finally(() => ledger.close());
}
const isTheirs = async (): Promise<boolean> =>
  readFileSync(at('data/folder.id'), 'utf8').trim() === (await ofNodes((ledger) => readFolderId(ledger.read)));

it.runIf(takesBackups)('nodes work on the folder of a restore, or of a recovery, without further ado', async () => {
  await begin();
  await ofNodes((ledger) => ledger.write(['administration'], (rows) => putFolderId(rows, 'of-another')));
  const file = at('all.backup');
  await run(`backup ${file}`);
  expect(await run('recover')).toMatchObject({ status: 0 });
  expect(await isTheirs()).toBe(true);
  renameSync(at('data'), at('lost'));
  expect(await run(`restore ${file}`)).toMatchObject({ status: 0 });
  expect(await isTheirs()).toBe(true);
  // One that was not finished is in nobody's way.
  mkdirSync(at('data/restoring'));
  expect(await run(`restore ${file}`)).toMatchObject({ status: 0 });
});

it.runIf(takesBackups)('backups, restores, tests of alarms and recoveries are acts in the audit trail', async () => {
  await begin();
  writeFileSync(at('passphrase'), 'nobody guesses this');
  const file = at('all.backup');
  await run(`backup ${file} --passphrase-file ${at('passphrase')}`);
  await run(`backup ${file}`);
  await run('alarm test');
  await run('recover');
  const lines = JSON.parse(`[${(await run('audit list --json')).out.trim().replaceAll('\n', ',')}]`);
  expect(lines.map(({ what, given, failed }: Record<string, unknown>) => [what, given, failed]).slice(0, -1)).toEqual([
    ['recover', { restored: false }, undefined],
    ['alarm test', {}, undefined],
    ['backup', { file }, `${file} is there already: name another file.`],
    ['backup', { file, passphrase: 'secret' }, undefined],
  ]);
  mkdirSync(at('kept'));
  renameSync(at('data/keys/secret.key'), at('kept/secret.key'));
  rmSync(at('data'), { recursive: true });
  writeFileSync(site.config, `data: ${at('data')}\nmasterKey: ${at('kept/secret.key')}\n`);
  // A restore that fails leaves the folder empty for the next one.
  expect((await run(`restore ${file}`)).status).not.toBe(0);
  await run(`restore ${file} --passphrase-file ${at('passphrase')}`);
  expect((await run('audit list')).out).toMatch(/restore\b.*\n.*account add/);
  expect((await run('audit verify')).status).toBe(0);
});

it.runIf(takesBackups)('a backup is encrypted with nothing that is easily guessed', async () => {
  await begin();
  expect(await run(`backup ${at('all.backup')} --key-file ${site.config}`)).toMatchObject({ status: 0 });
  mkdirSync(at('short'));
  const { status, err } = await run(`backup ${at('short', 'all.backup')} --passphrase-file /dev/null`);
  expect([status, err]).toEqual([64, 'dropgate: The passphrase must have 12 characters at least.']);
  expect(existsSync(at('short', 'all.backup'))).toBe(false);
});

it('recover answers with what became of files and rows, and with the secrets that were lost', async () => {
  await begin();
  expect(await answerOf('recover')).toEqual({ restored: false, adopted: 0, returned: 0, ended: 0, held: 0, cancelled: 0 });
  rmSync(at('data/keys/secret.key'));
  expect(await answerOf('recover --new-key')).toMatchObject({ keyFile: at('data/keys/secret.key'), lost: [] });
});

describe('while a daemon runs', () => {
  const LINES: Readonly<Record<string, string>> = {
    restore: 'restore all.backup',
    'copy-ledgers': 'copy-ledgers --to sqlite',
    recover: 'recover',
    'recover.new-key': 'recover --new-key',
  };
  const alone = Object.entries(CLOSED_OPERATIONS).flatMap(([name, { runBy }]) => (runBy === 'asker alone' ? [name] : []));

  it.each(alone)('%s is refused', async (name) => {
    await begin();
    using _daemon = lockFolder(at('data'));
    expect(await run(LINES[name] ?? '')).toMatchObject({ status: 75, out: '', err: expect.stringContaining('stop it first') });
  });

  it('doctor does its work', async () => {
    await begin();
    using _daemon = lockFolder(at('data'));
    expect((await run('doctor')).out).toContain(`well\tA daemon runs on ${at('data')}.`);
  });

  it.runIf(takesBackups)('backup does its work', async () => {
    await begin();
    using _daemon = lockFolder(at('data'));
    expect(await run(`backup ${at('all.backup')}`)).toMatchObject({ status: 0 });
  });
});
