// The admin listener of the real daemon.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SELLER_AND_BUYER, startDaemon } from '../support/daemon.ts';
import { neededPackage } from '../support/needed.ts';
import { uploadInvoice } from '../support/sftp-clients.ts';
import { eventually } from '../support/until.ts';

const hasPromtool = neededPackage('promtool', spawnSync('promtool', ['--version']).status === 0, 'prometheus');

it('says that each part of a running daemon answers', async () => {
  await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  const answer = await fetch(`${daemon.adminUrl}/readyz`);
  const places = [
    `SFTP on 127.0.0.1:${daemon.port}`,
    `the core on 127.0.0.1:${new URL(daemon.coreUrl).port}`,
    "the gateway's ledger",
    `the disk of ${daemon.data}`,
  ];
  expect(await answer.json()).toEqual({ status: 'ready', checks: places.map((check) => ({ check, reason: null })) });
  expect(answer.status).toBe(200);
  expect((await fetch(`${daemon.adminUrl}/livez`)).status).toBe(200);
});

/** By metric, as the table of docs/operations.md has it. */
function describedLabels(): Readonly<Record<string, string>> {
  const rows = readFileSync('docs/operations.md', 'utf8').matchAll(/^\| (`dropgate_.+?) \| (?:`(\w+)`)? ?\| .*\|$/gm);
  return Object.fromEntries([...rows].flatMap(([, names = '', label = '']) => [...names.matchAll(/\w+/g)].map(([name]) => [name, label])));
}

/** Those of each value of a metric, but for the bounds of a histogram. */
function labelsIn(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`^${name}(?:_sum|_count)?(?:\\{(.*)\\})? `, 'gm'))].map(([, labels = '']) =>
    [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label).join(', '),
  );
}

it('measures what both threads do', async () => {
  await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  await uploadInvoice(daemon, 'F-42');
  await eventually(async () => {
    const text = await (await fetch(`${daemon.adminUrl}/metrics`)).text();
    expect(text).toContain('dropgate_items{state="accepted"} 1\n');
    expect(text).toContain('dropgate_items_dropped 1\n');
    expect(text).toContain('dropgate_receive_seconds_count 1\n');
    expect(text).toMatch(/dropgate_commit_seconds_count\{ledger="gateway"\} [1-9]/);
    expect(text).toMatch(/dropgate_commit_seconds_count\{ledger="core"\} [1-9]/);
    expect(text).toMatch(/dropgate_loop_delay_seconds\{thread="core"\} \d/);
    expect(text).toMatch(/dropgate_webhook_events_waiting\{tries="0"\} 0\n/);
    expect(text).toContain('dropgate_readings_failed_total 0\n');
    if (hasPromtool) expect(execFileSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })).toBe('');
    const described = describedLabels();
    for (const [, name = ''] of text.matchAll(/^# HELP (\w+)/gm)) {
      expect(described).toHaveProperty(name);
      for (const labels of labelsIn(text, name)) expect({ name, labels }).toEqual({ name, labels: described[name] });
    }
  });
});
