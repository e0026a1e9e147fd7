// The ten lines that docs/erp.md begins with: they send, take what came, and bring the status of today; what is refused stays, and is told.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { addLogin, addLoginHome } from '#gateway/operate/logins.ts';
import { invoice } from '../../../support/documents.ts';
import { ed25519Pair } from '../../../support/keys.ts';
import { have, type Ran } from '../../../support/sftp-clients.ts';
import { scripted } from '../../../support/world/services.ts';
import { startWorld } from '../../../support/world/world.ts';

const HOME = 'acme-ab';
const DAY_MS = 86_400_000;
const MANUAL = readFileSync(new URL('../../../../docs/erp.md', import.meta.url), 'utf8');
const [, JOB = ''] = /```sh\n(.*?)```/s.exec(MANUAL) ?? [];

/** The job as it stands there, for this folder and this server. */
function jobFor(folder: string, port: number): string {
  const changes = [
    ['cd /erp ', `cd '${folder}' `],
    ['-i key -P 2222 acme@gateway.example.com', `-i key -P ${port} -o StrictHostKeyChecking=no -o UserKnownHostsFile=known acme@127.0.0.1`],
  ] as const;
  return changes.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, JOB);
}

async function runJob(folder: string, port: number): Promise<Ran> {
  const child = spawn('sh', ['-s'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (piece) => {
    out += piece;
  });
  child.stderr.on('data', (piece) => {
    err += piece;
  });
  child.stdin.end(jobFor(folder, port));
  const [status] = await once(child, 'close');
  return { status, out, err };
}

it('are ten', () => expect(JOB.trimEnd().split('\n')).toHaveLength(10));

it.runIf(have('sftp'))('do what a nightly job has to do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-nightly-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const each of ['out', 'sent', 'outbox', 'receipts']) mkdirSync(join(folder, each));
  const pair = ed25519Pair();
  writeFileSync(join(folder, 'key'), pair.private, { mode: 0o600 });
  const world = await startWorld(scripted(), {
    before: (on) =>
      addLogin(on, { login: 'acme', passwordHash: null, publicKeys: [pair.public], rules: { answers: ['status'], verdict: 'strict' } }),
  });
  await world.administer((on) => addLoginHome(on, 'acme', HOME, ''));
  await world.restart();
  const { port } = world.gateway().sftp;
  const here = (name: string): string[] => readdirSync(join(folder, name)).sort();

  expect(await runJob(folder, port)).toMatchObject({ status: 0, err: '' });

  writeFileSync(join(folder, 'out/a good one.xml'), invoice({ id: 'G-1' }));
  writeFileSync(join(folder, 'out/broken.xml'), 'no document');
  writeFileSync(join(folder, 'out/last.xml'), invoice({ id: 'G-2' }));
  writeFileSync(join(world.home(HOME, 'outbox'), 'came.xml'), 'for us');
  world.clock.advance(DAY_MS);
  const night = await runJob(folder, port);
  expect(night).toMatchObject({ status: 1, err: expect.stringContaining('nothing was taken') });
  expect([here('out'), here('sent'), here('outbox')]).toEqual([['broken.xml'], ['a good one.xml', 'last.xml'], ['came.xml']]);
  expect(world.files(HOME, 'outbox')).toEqual([]);
  expect(readFileSync(join(folder, 'today.csv'), 'utf8')).toContain('last.xml');

  await world.receipt(HOME, 'last.xml', 'accepted');
  rmSync(join(folder, 'out/broken.xml'));
  expect(await runJob(folder, port)).toMatchObject({ status: 0 });
  expect(here('receipts').map((name) => name.split('.')[0])).toContain('last');
});
