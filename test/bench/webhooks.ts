// Webhooks: deliveries a second, and what 1,000 dead receivers cost the others: a backlog delivered, and single events on a quiet core.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { recordEvents } from '#core/events/events.ts';
import { insertAccount } from '#core/ledger/accounts.ts';
import { openCoreLedger } from '#core/ledger/open.ts';
import type { Ledger, Rows } from '#core/ledger/schema.ts';
import { insertWebhook } from '#core/ledger/webhooks.ts';
import { addAccount } from '#core/operate/administration.ts';
import { startCoreThread } from '#core/thread/thread.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { authority } from '../support/authority.ts';
import { LOCAL_NETWORK } from '../support/core.ts';
import { BUYER, invoice, SELLER } from '../support/documents.ts';
import { until } from '../support/until.ts';
import { median, p50And99, table } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { type Receivers, startReceivers } from './webhook-receivers.ts';

const WELL = 100;
const DEAD = 1_000;
const DEAD_EVENTS_EACH = 5;
const ROUNDS = 5;
const DONE_WITHIN_MS = 300_000;
const SINGLES_EVERY_MS = 20;

/** How the dead ones begin: `now`: all their events are due at once, for the first time; `before`: they have failed, and are tried on the ladder. */
type Dead = 'none' | 'now' | 'before';

interface Run {
  readonly perSecond: number;
  /** Processor time of the core for each delivery of the backlog, whatever else it did meanwhile, milliseconds. */
  readonly cpuMs: number;
  /** From the answer to a create until its event has come, milliseconds. */
  readonly milliseconds: readonly number[];
}

const ROWS: readonly (readonly [Dead, string])[] = [
  ['none', 'alone'],
  ['before', `beside ${DEAD} that have been dead for a while`],
  ['now', `beside ${DEAD} that die just then`],
];

export async function benchWebhooks({ short, print }: BenchOptions): Promise<void> {
  const [events, singles, rounds] = short ? [500, 20, 1] : [10_000, 150, ROUNDS];
  print(
    `  a backlog of ${events} events for ${WELL} receivers over HTTPS on loopback, each delivery committed with fsync; then an event every`,
  );
  print(
    `  ${SINGLES_EVERY_MS} ms, timed from the answer to the create until it has come. Dead receivers accept connections and never answer; they`,
  );
  print(
    `  have ${DEAD_EVENTS_EACH} events each, and hosts of their own: due at once, or in the course of ten minutes. ${rounds} rounds, in turns;`,
  );
  print('  medians, and the least and the most');
  const runs: Record<Dead, Run[]> = { none: [], now: [], before: [] };
  for (let round = 0; round < rounds; round++) {
    // Another order each time, so that what grows or fades in the course of a round falls on each.
    const order = ROWS.map((_, at) => ROWS[(at + round) % ROWS.length]).filter((row) => row !== undefined);
    for (const [dead] of order) runs[dead].push(await measure(events, singles, dead));
  }
  print('');
  print(
    table(
      ROWS.map(([dead, name]) => {
        const ratios = runs[dead].map(({ perSecond }, at) => perSecond / (runs.none[at]?.perSecond ?? Number.NaN));
        const rate = median(runs[dead].map(({ perSecond }) => perSecond)).toFixed(0);
        const cpu = spread(
          runs[dead].map(({ cpuMs }) => cpuMs),
          2,
        );
        const waits = p50And99(runs[dead].flatMap(({ milliseconds }) => milliseconds));
        return [name, `${rate} deliveries/s, ${spread(ratios, 2)} of alone; ${cpu} ms of CPU each; single events p50 / p99 ${waits}`];
      }),
    ),
  );
}

/** The median, and the least and the most. */
function spread(values: readonly number[], digits: number): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
  return `${median(values).toFixed(digits)} (${least} to ${most})`;
}

async function measure(events: number, singles: number, dead: Dead): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-bench-'));
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => rmSync(folder, { recursive: true }));
  const receivers = cleanUp.use(await startReceivers(authority()));
  const databasePath = join(folder, 'core.db');
  const ledger = await openCoreLedger(databasePath);
  cleanUp.defer(() => ledger.close());
  const administration = { ledger, environment: 'test', clock: systemClock, random: systemRandom } as const;
  const { apiKey } = await addAccount(administration, { accountRegNo: 'seller', name: 'Seller', participants: [SELLER] });
  await addAccount(administration, { accountRegNo: 'buyer', name: 'Buyer', participants: [BUYER] });
  await seed(ledger, receivers, events, dead);

  const core = await startCoreThread({
    listen: { host: '127.0.0.1', port: 0 },
    tls: null,
    behindProxy: false,
    bodyMax: 1_000_000,
    requests: 10_000_000,
    window: 60_000,
    outbound: { allow: ['127.0.0.0/8'], deny: false, ca: authority().ca, dns: false },
    keepMessages: null,
    webhooks: { keepDead: 1_000_000 },
    network: LOCAL_NETWORK,
    environment: 'test',
    databasePath,
    sealPath: join(folder, 'secret.key'),
    logSettings: { level: 'error', form: 'json' },
    incoming: () => undefined,
    changed: () => undefined,
    turnedAway: () => undefined,
    failed: (error) => {
      throw error;
    },
  });
  cleanUp.defer(() => core.close());
  const before = await coreCpuMs(receivers);
  await until('the backlog is delivered', () => receivers.hits.length >= events, DONE_WITHIN_MS);
  const cpuMs = ((await coreCpuMs(receivers)) - before) / events;
  const [first, last] = [receivers.hits[0]?.atMs ?? 0, receivers.hits.at(-1)?.atMs ?? 0];
  const perSecond = (events * 1_000) / (last - first);
  return { perSecond, cpuMs, milliseconds: await sendSingles(core.url, apiKey, receivers, singles) };
}

/** Of this process without this thread and that of the receivers: the core, and its examining threads, which rest. */
async function coreCpuMs({ cpuMs }: Receivers): Promise<number> {
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
  return (all.user + all.system - own.user - own.system) / 1_000 - (await cpuMs());
}

async function sendSingles(url: string, apiKey: string, { hits }: Receivers, count: number): Promise<number[]> {
  const answered = new Map<string, number>();
  for (let at = 0; at < count; at++) {
    const response = await fetch(`${url}/transaction/seller/invoices/outgoing`, {
      method: 'POST',
      headers: { authorization: apiKey, 'content-type': 'application/xml' },
      body: new Uint8Array(invoice({ id: `single-${at}` })),
    });
    if (response.status !== 200) throw new Error(await response.text());
    await response.arrayBuffer();
    answered.set(`single-${at}`, performance.timeOrigin + performance.now());
    await pause(SINGLES_EVERY_MS);
  }
  const came = () => hits.filter(({ documentId }) => answered.has(documentId));
  await until('the single events have come', () => came().length >= count, DONE_WITHIN_MS);
  return came().map(({ documentId, atMs }) => Math.max(atMs - (answered.get(documentId) ?? 0), 0));
}

/** Subscriptions of accounts of their own, with what waits for each; and the buyer's, who gets the single events. */
async function seed(ledger: Ledger, { url, deadUrl }: Receivers, events: number, dead: Dead): Promise<void> {
  const now = Date.now();
  async function subscribe(rows: Rows, accountRegNo: string, target: string, count: number): Promise<void> {
    if (accountRegNo !== 'buyer') await insertAccount(rows, { accountRegNo, name: accountRegNo }, now);
    const id = randomUUID();
    await insertWebhook(rows, { scope: 'account', accountRegNo }, { id, url: target, types: ['new_document'] }, now);
    const subject = { integrationId: id, accountRegNo, direction: 'incoming', createdAt: now, updatedAt: now } as const;
    for (let at = 0; at < count; at++) {
      const head = { family: 'Invoice', documentId: `backlog-${at}` } as const;
      await recordEvents(rows, systemRandom, { ...subject, head }, [{ event: 'created', status: 'received' }], now);
    }
  }
  await ledger.write([], async (rows) => {
    await subscribe(rows, 'buyer', `${url}/buyer`, 0);
    for (let at = 0; dead !== 'none' && at < DEAD; at++) await subscribe(rows, `dead-${at}`, deadUrl(at), DEAD_EVENTS_EACH);
    if (dead === 'before') await age(rows, now);
    for (let at = 0; at < WELL; at++) await subscribe(rows, `well-${at}`, `${url}/${at}`, events / WELL);
  });
}

/** As if everything had been tried twice: the next tries come in the course of ten minutes. */
async function age(rows: Rows, nowMs: number): Promise<void> {
  await sql`update webhook_events set attempts = 2, next_attempt_at = ${nowMs} + abs(random()) % 600000`.execute(rows);
  await sql`update webhooks set failing_since = ${nowMs - 600_000} where account_reg_no like 'dead-%'`.execute(rows);
}
