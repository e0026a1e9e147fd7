// The watchdog of a real daemon: systemd hears from it while the core's thread turns, and the log says when it does not.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startDaemon } from '../support/daemon.ts';
import { tryLogin } from '../support/sftp-clients.ts';
import { until } from '../support/until.ts';

it('tells systemd that it works, and not while the core has stalled', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-watchdog-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [notified, stall, program] = [join(folder, 'notified'), join(folder, 'stall'), join(folder, 'systemd-notify')];
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${notified}\n`);
  chmodSync(program, 0o755);
  await using daemon = await startDaemon({
    accounts: [{ accountRegNo: 'seller', participants: [], login: 'erp' }],
    nodeOptions: ['--import', resolve('test/support/stall.ts')],
    env: {
      NOTIFY_SOCKET: '/run/nobody',
      WATCHDOG_USEC: '2000000',
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      DROPGATE_STALL: stall,
    },
  });
  const times = (): number => (existsSync(notified) ? readFileSync(notified, 'utf8').split('WATCHDOG=1').length - 1 : 0);
  await until('two signs of life', () => times() >= 2);
  writeFileSync(stall, '');
  await until('the stall in the log', () => daemon.facts().some(({ event }) => event === 'daemon.stalled'));
  const silent = times();
  // The loop of SFTP turns all the time.
  expect(await tryLogin(daemon, {})).toBe('in');
  expect(times()).toBe(silent);
  rmSync(stall);
  await until('signs of life again', () => times() > silent);
});
