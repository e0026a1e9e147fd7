// Alarms by commands: what stands, and whether a test arrives.
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { testSite } from '../../support/site.ts';
import { command } from '../../support/terminal.ts';

const site = testSite();

const mailTo = (port: number): string =>
  `alarms: {mail: {to: [ops@example.com], from: gate@example.com, server: "smtp://127.0.0.1:${port}"}}`;

it('a test goes to each channel', async () => {
  await using server = await startMailServer();
  site.configure(mailTo(server.port));
  const { status, out } = await site.run('alarm test');
  expect([status, out.split('\n').slice(0, 2)]).toEqual([0, ['folder\tsent', 'mail\tsent']]);
  expect(server.mails[0]?.text).toContain('Somebody asked for a test');
  expect(readdirSync(site.at('data', 'alarms'))).toHaveLength(1);
});

it('a channel that does not take it is told with its reason, and what the unit of the daemon needs', async () => {
  const port = await freePort();
  site.configure(mailTo(port));
  const { status, out } = await site.run('alarm test');
  expect(status).toBe(1);
  expect(out).toMatch(/^mail\tfailed\t.*ECONNREFUSED/m);
  expect(out).toContain('No daemon runs here: the command has tried itself, and could not send by mail.');
  expect(out).toMatch(new RegExp(`No daemon runs here.*127\\.0\\.0\\.1:${port} by IPAddressAllow=`));
});

it.each([
  ['alarm test', 'CHANNEL  TEST  REASON'],
  ['alarm list', ''],
  ['audit list', 'AT '],
])('%s is a table on a terminal', async (line, head) => {
  await site.run('account add 1 --name One');
  const style = { isColoured: false, nowMs: Date.now() };
  const { out } = await command([...line.split(' '), '--config', site.config], undefined, style);
  expect(out.startsWith(head)).toBe(true);
  expect(out).not.toContain('\t');
});

it('answers with what stands, and with channels that could not tell it', async () => {
  expect(JSON.parse((await site.run('alarm list --json')).out)).toEqual({ alarms: [], untold: [] });
  expect(JSON.parse((await site.run('alarm test --json')).out)).toEqual({
    isRunning: false,
    channels: [{ channel: 'folder', problem: null }],
  });
});
