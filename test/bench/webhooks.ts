// Webhooks: deliveries a second, and what 1,000 dead receivers cost the others: a backlog delivered, and single events on a quiet core.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { addAccount } from '#core/administration.ts';
import { insertAccount } from '#core/ledger/accounts.ts';
import { openCoreLedger } from '#core/ledger/open.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { insertWebhook } from '#core/ledger/webhooks.ts';
import { startCoreThread } from '#core/thread.ts';
import { newUuid } from '#core/uuid.ts';
import { recordEvents } from '#core/webhooks/events.ts';
import { systemClock, systemRandom } from '#runtime/clock.ts';
import { authority } from '../support/authority.ts';
import { BUYER, invoice, SELLER } from '../support/documents.ts';
import { until } from '../support/until.ts';
import { median, p50And99, table } from './figures.ts';
import type { BenchOptions } from './main.ts';
import { type Receivers, startReceivers } from './webhook-receivers.ts';

const WELL = 100;
const DEAD = 1_000;
const DEAD_EVENTS_EACH = 5;
const ROUNDS = 3;
const DONE_WITHIN_MS = 300_000;
const SINGLES_EVERY_MS = 20;

interface Run {
  readonly perSecond: number;
  /** From the answer to a create until its event has come, milliseconds. */
  readonly milliseconds: readonly number[];
}

export async function benchWebhooks({ short, print }: BenchOptions): Promise<void> {
  const [events, singles, rounds] = short ? [500, 20, 1] : [10_000, 250, ROUNDS];
  print(
    `  a backlog of ${events} events for ${WELL} receivers over HTTPS on loopback, each delivery committed with fsync; then an event every`,
  );
  print(
    `  ${SINGLES_EVERY_MS} ms. With and without ${DEAD} more receivers that accept connections and never answer, ${DEAD_EVENTS_EACH} events each; ${rounds} rounds, in turns`,
  );
  const runs: Record<'alone' | 'beside', Run[]> = { alone: [], beside: [] };
  for (let round = 0; round < rounds; round++) {
    runs.alone.push(await measure(events, singles, 0));
    runs.beside.push(await measure(events, singles, DEAD));
  }
  const rate = (each: readonly Run[]): number => median(each.map(({ perSecond }) => perSecond));
  const wait = (each: readonly Run[]): string => p50And99(each.flatMap(({ milliseconds }) => milliseconds));
  print('');
  print(
    table([
      ['backlog, all receivers do well', `${rate(runs.alone).toFixed(0)} deliveries/s`],
      [`backlog, beside ${DEAD} dead ones`, `${rate(runs.beside).toFixed(0)} deliveries/s to those that do well`],
      [
        'beside for each alone',
        median(runs.beside.map(({ perSecond }, at) => perSecond / (runs.alone[at]?.perSecond ?? Number.NaN))).toFixed(2),
      ],
      ['single events, all receivers do well', `p50 / p99 ${wait(runs.alone)} from the create's answer to the delivery`],
      [`single events, beside ${DEAD} dead ones`, `p50 / p99 ${wait(runs.beside)}`],
    ]),
  );
}

async function measure(events: number, singles: number, dead: number): Promise<Run> {
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
    outbound: { allow: ['127.0.0.1'], ca: authority().ca, dns: false },
    webhooks: { keepDead: 1_000_000 },
    environment: 'test',
    databasePath,
    sealPath: join(folder, 'secret.key'),
    logLevel: 'error',
    incoming: () => undefined,
    failed: (error) => {
      throw error;
    },
  });
  cleanUp.defer(() => core.close());
  await until('the backlog is delivered', () => receivers.hits.length >= events, DONE_WITHIN_MS);
  const [first, last] = [receivers.hits[0]?.atMs ?? 0, receivers.hits.at(-1)?.atMs ?? 0];
  const perSecond = (events * 1_000) / (last - first);
  return { perSecond, milliseconds: await sendSingles(core.url, apiKey, receivers, singles) };
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
async function seed(ledger: Ledger, { url, deadUrl }: Receivers, events: number, dead: number): Promise<void> {
  const now = Date.now();
  const subscribe = (accountRegNo: string, target: string, count: number) =>
    ledger.write(async (rows) => {
      if (accountRegNo !== 'buyer') await insertAccount(rows, { accountRegNo, name: accountRegNo }, now);
      const id = newUuid(systemRandom);
      await insertWebhook(rows, { scope: 'account', accountRegNo }, { id, url: target, types: ['new_document'] }, now);
      const subject = { integrationId: id, accountRegNo, direction: 'incoming', createdAt: now, updatedAt: now } as const;
      for (let at = 0; at < count; at++) {
        const head = { family: 'Invoice', documentId: `backlog-${at}` } as const;
        await recordEvents(rows, systemRandom, { ...subject, head }, [{ event: 'created', status: 'received' }], now);
      }
    });
  await subscribe('buyer', `${url}/buyer`, 0);
  for (let at = 0; at < dead; at++) await subscribe(`dead-${at}`, `${deadUrl}/${at}`, DEAD_EVENTS_EACH);
  for (let at = 0; at < WELL; at++) await subscribe(`well-${at}`, `${url}/${at}`, events / WELL);
}
