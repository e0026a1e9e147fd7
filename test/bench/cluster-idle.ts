// What two nodes cost whose accounts have nothing to do, and which statements of theirs come most often.
import { setTimeout as pause } from 'node:timers/promises';
import { postgresPrograms } from '../support/postgres-server.ts';
import { hasRedis } from '../support/redis-server.ts';
import { untilSwept } from './at-rest.ts';
import { type Counts, countsOf, spent } from './cluster-cost.ts';
import { type Nodes, startNodes } from './cluster-daemons.ts';
import { PAIRS } from './cluster-load.ts';
import { table } from './figures.ts';
import { addAccountsTo } from './many-accounts.ts';
import type { BenchOptions } from './options.ts';

const NODES = 2;
const WANTED = { cpu: 0.02, statements: 40 };
const STATEMENTS_SHOWN = 8;
const LETTERS_SHOWN = 90;

interface Size {
  readonly accounts: number;
  /** What their start has begun goes on for a while, and that a core rings is relied upon after ten minutes only. */
  readonly restMs: number;
  readonly ms: number;
}

const SHORT: Size = { accounts: 100, restMs: 5_000, ms: 5_000 };
const WHOLE: Size = { accounts: 10_000, restMs: 620_000, ms: 180_000 };

interface Statement {
  readonly text: string;
  readonly perSecond: number;
}

export async function benchClusterIdle({ short, print }: BenchOptions): Promise<void> {
  if (postgresPrograms() === undefined || !hasRedis) return print('  not measured: PostgreSQL or Redis is not installed');
  const { accounts, restMs, ms } = short ? SHORT : WHOLE;
  await using nodes = await startNodes(NODES);
  const { database, coreDatabase, servers } = nodes;
  const [first] = nodes.doors;
  if (!first) return;
  await addAccountsTo({ data: first.data, inCore: coreDatabase.place, inGateway: database.place }, accounts);
  await nodes.sharedOut(accounts + 2 * PAIRS);
  await untilSwept(first, accounts, database.place);
  await pause(restMs);
  await servers.ask('select pg_stat_statements_reset()');
  const before = await countsOf(nodes);
  await pause(ms);
  const cost = spent(before, await countsOf(nodes), ms / 1_000);
  print(`  ${accounts} idle accounts on ${NODES} nodes, over ${ms / 1_000} s; % of a core`);
  print(table([...figuresOf(cost), ...(await mostOften(nodes, ms)).map(shown)]));
  const [, second] = nodes.doors;
  await second?.kill();
  const killedAt = performance.now();
  await nodes.sharedOut(accounts + 2 * PAIRS, NODES - 1);
  print(
    `  one is killed: all homes in the other's hand after ${((performance.now() - killedAt) / 1_000).toFixed(0)} s, a lease of 20 s included`,
  );
}

function figuresOf({ gateways, cores, postgres, redis, statements, roundTrips }: Counts): [string, string][] {
  const percent = (cpu: number): string => `${(cpu * 100).toFixed(2)} %`;
  return [
    ['gateways', `${percent(gateways)} (wanted < ${WANTED.cpu * 100} %)`],
    ['core, PostgreSQL, Redis', [cores, postgres, redis].map(percent).join(', ')],
    ['statements a second', `${statements.toFixed(1)} (wanted < ${WANTED.statements})`],
    ['round trips of gateways a second', roundTrips.toFixed(1)],
  ];
}

async function mostOften({ servers }: Nodes, ms: number): Promise<Statement[]> {
  const { rows } = await servers.ask(
    `select query, calls::float8 as calls from pg_stat_statements order by calls desc limit ${STATEMENTS_SHOWN}`,
  );
  return rows.map(({ query, calls }) => ({ text: String(query).replaceAll(/\s+/g, ' '), perSecond: Number(calls) / (ms / 1_000) }));
}

function shown({ text, perSecond }: Statement): [string, string] {
  return [`  ${text.slice(0, LETTERS_SHOWN)}`, `${perSecond.toFixed(1)}/s`];
}
