// The systemd units: well formed, closed enough, and in step with the configuration.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT_STATUS } from '#cli/exit-status.ts';
import { duration } from '#runtime/config/kinds.ts';
import { SETTINGS } from '#runtime/config/settings.ts';
import { have } from '../../support/sftp-clients.ts';

const UNIT = 'systemd/dropgate.service';
const SOCKET = 'systemd/dropgate.socket';
const unit = readFileSync(UNIT, 'utf8');
const socket = readFileSync(SOCKET, 'utf8');
const hasAnalyze = have('systemd-analyze');

describe.skipIf(!hasAnalyze)('systemd-analyze', () => {
  it('verify finds nothing to complain about', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dropgate-unit-'));
    const paths = [UNIT, SOCKET].map((file) => join(folder, basename(file)));
    for (const [at, text] of [unit, socket].entries()) writeFileSync(paths[at] ?? '', text.replaceAll('/opt/dropgate', resolve('.')));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  it('security sees an exposure of at most 1.2', () => {
    const told = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', UNIT], { encoding: 'utf8' });
    const exposure = Number(/exposure level for dropgate\.service: ([\d.]+)/.exec(told)?.[1]);
    expect(exposure).toBeLessThanOrEqual(1.2);
  });
});

it('waits longer for the end than the daemon drains', () => {
  const drain = duration('1s', '10m').read(SETTINGS.shutdown.rows.drain.default);
  const timeoutMs = Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit)?.[1]) * 1_000;
  expect('value' in drain && timeoutMs > drain.value).toBe(true);
});

it('does not start again and again what a person has to mend, but what has stalled or failed', () => {
  const prevented = /^RestartPreventExitStatus=(.*)$/m.exec(unit)?.[1]?.split(' ').map(Number);
  expect(prevented).toEqual([EXIT_STATUS.usage, EXIT_STATUS.locked, 78]);
  expect(unit).toMatch(/^Restart=on-failure$/m);
  expect(unit).toMatch(/^WatchdogSec=60s$/m);
  expect(unit).toMatch(/^ExecReload=\/bin\/sh -c "kill -HUP \$MAINPID"$/m);
});

it('has room for the threads of the daemon, and no more memory than they may hold', () => {
  expect(unit).toMatch(/^MemoryMax=3G$/m);
  expect(unit).toMatch(/^TasksMax=256$/m);
});

it('has the threads of the daemon wait for each other instead of interrupting', () => {
  expect(unit).toMatch(/^CPUSchedulingPolicy=batch$/m);
});

it('lets Node write machine code, and runs no demo', () => {
  expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m);
  expect(unit).not.toContain('--demo');
});

it('names the user, the folders and the command that the other files and this project have', () => {
  expect(unit).toMatch(/^User=dropgate$/m);
  expect(readFileSync('systemd/sysusers.conf', 'utf8')).toMatch(/^u dropgate /m);
  expect(readFileSync('systemd/tmpfiles.conf', 'utf8')).toMatch(/^d \/var\/lib\/dropgate /m);
  expect(unit).toMatch(/^ExecStart=\/opt\/dropgate\/node_modules\/\.bin\/node \/opt\/dropgate\/src\/main\.ts serve /m);
});

it('holds the address that the core has by default, for those who may speak with the service', () => {
  expect(socket).toMatch(new RegExp(`^ListenStream=${SETTINGS.core.rows.listen.default}$`, 'm'));
  const allowed = /^IPAddress(?:Deny|Allow)=.*$/gm;
  expect(socket.match(allowed)).toEqual(unit.match(allowed));
});
