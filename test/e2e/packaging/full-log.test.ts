// The log's disk is full: the daemon serves, and ends when it is told to. Its lines are lost, its documents are not.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { MAIN } from '../../support/program.ts';
import { run } from '../../support/sftp-clients.ts';
import { until } from '../../support/until.ts';

it('a daemon whose log cannot be written serves, and ends at SIGTERM', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-full-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [sftp, core] = [await freePort(), await freePort()];
  const config = join(folder, 'dropgate.yaml');
  writeFileSync(config, `data: ${join(folder, 'data')}\nsftp: {listen: "127.0.0.1:${sftp}"}\ncore: {listen: "127.0.0.1:${core}"}\n`);
  const full = openSync('/dev/full', 'w');
  const daemon = spawn(process.execPath, [MAIN, 'serve', '--config', config], { stdio: ['ignore', full, 'inherit'] });
  onTestFinished(() => void daemon.kill('SIGKILL'));
  closeSync(full);
  await until('it to answer', async () => (await run(process.execPath, [MAIN, 'health', '--config', config])).status === 0, 60_000);
  daemon.kill('SIGTERM');
  await until('its end', () => daemon.exitCode !== null, 60_000);
  expect(daemon.exitCode).toBe(0);
});
