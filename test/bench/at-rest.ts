// When a daemon rests: its homes have been swept, and its threads have given back what the start took.
import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresPlace } from '#engines/postgres/place.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import type { TestDaemon } from '../support/daemon.ts';
import { countStartedFeeds } from '../support/world/ledger-rows.ts';

const FAMILIES = 8;
const WITHIN_MS = 900_000;
/** Seldom, so that looking costs nothing beside what is looked at. */
const LOOK_EVERY_MS = 2_000;

/** Resolves when all feeds of so many accounts have been swept; `server`: where the ledgers are, unless they are files. */
export function untilSwept(daemon: TestDaemon, accounts: number, server?: PostgresPlace): Promise<void> {
  return lookUntil('the first sweeps', async () => (await startedFeeds(daemon, server)) >= accounts * FAMILIES);
}

/** Resolves when so many threads have given back, in a minute or two and at the cost of two moments each, what they can. The log tells it at the level `debug`. */
export function untilThreadsRest(daemon: TestDaemon, threads: number): Promise<void> {
  return lookUntil('the threads to rest', () => threadsAtRest(daemon) >= threads);
}

async function lookUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${WITHIN_MS / 1_000} s in vain for: ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}

/** Since this start. */
function threadsAtRest(daemon: TestDaemon): number {
  const facts = daemon.facts();
  const since = facts.findLastIndex(({ event }) => event === 'daemon.starting');
  const collected = facts.slice(since).flatMap(({ event, thread }) => (event === 'rest.collected' ? [thread] : []));
  return new Set(collected.filter((thread, at) => collected.indexOf(thread) < at)).size;
}

async function startedFeeds({ data }: TestDaemon, server?: PostgresPlace): Promise<number> {
  const ledger = await openGatewayLedger(data, server);
  try {
    return await countStartedFeeds(ledger);
  } finally {
    await ledger.close();
  }
}
