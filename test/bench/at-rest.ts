// When a daemon rests: its homes have been swept, its threads have given back what the start took, and its processor time is that of every minute.
import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresPlace } from '#engines/postgres/place.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { TestDaemon } from '../support/daemon.ts';
import { countStartedFeeds } from '../support/world/ledger-rows.ts';
import { cpuSeconds, workersOf } from './process-cost.ts';

const FAMILIES = 8;
const WITHIN_MS = 1_800_000;
/** Seldom, so that looking costs nothing beside what is looked at. */
const LOOK_EVERY_MS = 2_000;
/** What a daemon at rest does, it does once in it. */
const SPAN_MS = 60_000;
/** Two spans alike differ by no more: some ticks of the clock by which processor time is counted, or this share. */
const ALIKE_SECONDS = 0.03;
const ALIKE_SHARE = 0.2;

/** Resolves when all feeds of so many accounts have been swept; `server`: where the ledgers are, unless they are files. */
export function untilSwept(daemon: TestDaemon, accounts: number, server?: PostgresPlace): Promise<void> {
  return lookUntil('the first sweeps', async () => (await startedFeeds(daemon, server)) >= accounts * FAMILIES);
}

/**
 * Resolves when the threads that stay, so many with the main thread, have given back what they can, as the log tells at the level `debug`; when those that
 * began for some work have ended; and when the daemon takes as much of the processor in one span as in the span before.
 */
export async function untilRests(daemon: TestDaemon, threads: number): Promise<void> {
  await lookUntil('the threads to rest', () => threadsAtRest(daemon) === threads && workersOf(daemon.pid) < threads);
  let before = Number.POSITIVE_INFINITY;
  await lookUntil('the processor time to become still', async () => {
    const last = before;
    before = await spentInSpan(daemon.pid);
    return Math.abs(last - before) <= Math.max(ALIKE_SECONDS, ALIKE_SHARE * before);
  });
}

async function spentInSpan(pid: number): Promise<number> {
  const before = cpuSeconds(pid);
  await pause(SPAN_MS);
  return cpuSeconds(pid) - before;
}

async function lookUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${WITHIN_MS / 1_000} s in vain for: ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}

/** Those that have not had anything to give back since, of this start. */
function threadsAtRest(daemon: TestDaemon): number {
  const facts = daemon.facts();
  const since = facts.findLastIndex(({ event }) => event === 'daemon.starting');
  const last = new Map(facts.slice(since).flatMap(({ event, thread }) => (event?.startsWith('rest.') ? [[thread, event] as const] : [])));
  return [...last.values()].filter((event) => event === 'rest.reached').length;
}

async function startedFeeds({ data }: TestDaemon, server?: PostgresPlace): Promise<number> {
  const ledger = await openGatewayLedger(data, server);
  try {
    return await countStartedFeeds(ledger);
  } finally {
    await ledger.close();
  }
}
