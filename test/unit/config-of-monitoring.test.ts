// The alert rules and the dashboard that stand in config/: Prometheus takes them, and each alert comes when it should.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { neededPackage } from '../support/needed.ts';

const RULES = resolve('config/prometheus-alerts.yaml');
const DASHBOARD = resolve('config/grafana-dashboard.json');
const METRIC = /\bdropgate_\w+/g;

const dashboard: { panels: { title: string; targets?: { expr: string }[] }[] } = JSON.parse(readFileSync(DASHBOARD, 'utf8'));
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

function promtool(...args: string[]): string {
  return execFileSync('promtool', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** A file that is there for this test. */
function written(name: string, content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-rules-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), stringify(content));
  return join(folder, name);
}

/** `alerts`: the alerts that are on after 20 minutes in which the series had these values. */
const cases: readonly { readonly series: string; readonly values: string; readonly alerts: readonly string[] }[] = [
  { series: 'up{job="dropgate"}', values: '0x30', alerts: ['DropgateDown'] },
  // Of none that was dropped, so the balance is wrong as well.
  { series: 'dropgate_items{state="held"}', values: '1x30', alerts: ['DropgateItemsHeld', 'DropgateCustodyUnbalanced'] },
  { series: 'dropgate_items{state="held"}', values: '0x30', alerts: [] },
  { series: 'dropgate_item_oldest_seconds{state="pending"}', values: '4000+60x30', alerts: ['DropgateBacklogOld'] },
  { series: 'dropgate_circuits_open', values: '2x30', alerts: ['DropgateServiceRefusesAccounts'] },
  { series: 'dropgate_loop_delay_seconds{thread="core"}', values: '0.9x30', alerts: ['DropgateLoopSlow'] },
  { series: 'dropgate_bans_total', values: '0+2x30', alerts: ['DropgateGuessing'] },
];

describe('metrics that the rules and the dashboard ask for', () => {
  it('are told of in docs/operations.md, which an end-to-end test holds to what the daemon says', () => {
    const asked = [...readFileSync(RULES, 'utf8').matchAll(METRIC), ...queries.join('\n').matchAll(METRIC)].map(([name]) =>
      name.replace(/_bucket$/, ''),
    );
    const described = readFileSync('docs/operations.md', 'utf8');
    expect([...new Set(asked)].filter((name) => !described.includes(`\`${name}\``))).toEqual([]);
  });
});

describe.runIf(neededPackage('promtool', spawnSync('promtool', ['--version']).status === 0, 'prometheus'))('promtool', () => {
  it('takes the rules', () => {
    expect(promtool('check', 'rules', RULES)).toContain('SUCCESS');
  });

  it('takes the queries of the dashboard', () => {
    const rules = queries.map((expr, at) => ({
      record: `dashboard:query:${at}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }));
    expect(promtool('check', 'rules', written('queries.yaml', { groups: [{ name: 'dashboard', rules }] }))).toContain('SUCCESS');
  });

  it.each(cases)('has $alerts on while $series is $values', ({ series, values, alerts }) => {
    const named = [...readFileSync(RULES, 'utf8').matchAll(/alert: (\w+)/g)].map(([, name = '']) => name);
    const unbalanced = { series: 'dropgate_items_dropped', values: '0x30' };
    const groups = {
      rule_files: [RULES],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [{ series, values }, unbalanced],
          promql_expr_test: named.map((name) => ({
            expr: `count(ALERTS{alertname="${name}",alertstate="firing"})`,
            eval_time: '20m',
            exp_samples: alerts.includes(name) ? [{ labels: '{}', value: 1 }] : [],
          })),
        },
      ],
    };
    expect(promtool('test', 'rules', written('test.yaml', groups))).toContain('SUCCESS');
  });
});
