// Backups of one data folder: one at a time, from whichever node; one that was killed is in nobody's way.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeBackup } from '#installation/backup/make.ts';
import { loadConfig } from '#runtime/config/file.ts';
import { testSite } from '../../support/site.ts';

const site = testSite('sftp: {listen: "127.0.0.1:0"}\nadmin: {listen: off}\ncore: {listen: "127.0.0.1:0"}');
const { at, run } = site;

function backupInto(file: string, progress: (text: string) => void = () => undefined) {
  const { config } = loadConfig(site.config, undefined);
  return makeBackup({ config, file: at(file), secret: null, version: 'test', nowMs: Date.now(), progress });
}

it('a second one is refused while one is being made, which comes to its end', async () => {
  await run('account add 1 --name One --login one');
  const others: Promise<unknown>[] = [];
  await backupInto('first', (text) => {
    if (!text.startsWith('gateway:')) return;
    const refusal = { code: 'locked', message: `A backup of ${at('data')} is being made already: run this again when it is done.` };
    others.push(expect(backupInto('second')).rejects.toMatchObject(refusal));
  });
  expect(others.length).toBeGreaterThan(0);
  await Promise.all(others);
  expect([existsSync(at('first')), existsSync(at('second'))]).toEqual([true, false]);
  await backupInto('second');
});

it('what one that was killed has left goes with the next', async () => {
  await run('account add 1 --name One --login one');
  mkdirSync(at('data/backup-killed'));
  writeFileSync(at('data/backup-killed/gateway.db'), 'half');
  writeFileSync(at('data/lock.backup'), '');
  await backupInto('next');
  expect(readdirSync(at('data')).filter((name) => name.startsWith('backup-'))).toEqual([]);
});
