// Pages out of a thousand, a hundred thousand and a million stored messages: every filter, and deep offsets.
import { startBenchCore } from './bench-core.ts';
import { p50And99 } from './figures.ts';
import { dayOf, fill } from './fill.ts';
import { fire, type Shot } from './http-load.ts';
import type { BenchOptions } from './options.ts';

const SIZES = [1_000, 100_000, 1_000_000];
const LIST = '/transaction/buyer/invoices/incoming';
const STATUS = `${LIST}/status?limit=100&includeRead=true`;

/** What is asked for; `at` is some position of the `count` that are stored. */
const KINDS: readonly (readonly [name: string, path: (at: number, count: number) => string])[] = [
  ['newest three documents', () => LIST],
  ['documentId', (at) => `${LIST}?documentId=D-${at}`],
  ['integrationId', (at) => `${LIST}?integrationId=${uuid(at)}`],
  ['offset, anywhere in the list', (at) => `${LIST}?offset=${at}`],
  ['unread only, 100 statuses', () => `${LIST}/status?limit=100`],
  ['from and to, 100 statuses', (at) => `${STATUS}&from=${dayOf(at)}&to=${dayOf(at)}`],
  ['from and to, unread only', (at) => `${LIST}/status?limit=100&from=${dayOf(at)}&to=${dayOf(at)}`],
  ['to, and an offset anywhere', (at, count) => `${STATUS}&to=${dayOf(count - 1)}&offset=${at}`],
  ['updatedAtFrom and -To, 100 statuses', (at) => `${STATUS}&updatedAtFrom=${dayOf(at)}&updatedAtTo=${dayOf(at)}`],
  ['updatedAtFrom', (at) => `${STATUS}&updatedAtFrom=${dayOf(at)}`],
  ['read, three documents, marked', () => `${LIST}/readinvoices`],
];

export async function benchPages({ short, print }: BenchOptions): Promise<void> {
  const sizes = short ? SIZES.slice(0, 2) : SIZES;
  const requests = short ? 30 : 300;
  await using core = await startBenchCore();
  const columns: string[][] = [];
  let filled = 0;
  for (const size of sizes) {
    await fill(core.ledger, filled + 1, size);
    filled = size;
    const column: string[] = [];
    for (const [, path] of KINDS) {
      const shots = Array.from({ length: requests }, (_, turn): Shot => {
        // Spread over the list, the same at every run.
        const at = 1 + Math.floor(((turn * 0.618_034) % 1) * (size - 1));
        return { method: 'GET', path: path(at, size), headers: { authorization: core.buyer.apiKey } };
      });
      await fire(core.url, shots.slice(0, 20), 1, [200, 204]);
      column.push(p50And99((await fire(core.url, shots, 1, [200, 204])).milliseconds));
    }
    columns.push(column);
  }
  print(`\n  Pages of stored messages, one request at a time, ${requests} each, p50 / p99`);
  const width = Math.max(...KINDS.map(([name]) => name.length));
  print(`  ${'stored'.padEnd(width)}  ${sizes.map((size) => size.toLocaleString('en').padEnd(16)).join('')}`);
  for (const [at, [name]] of KINDS.entries()) {
    print(`  ${name.padEnd(width)}  ${columns.map((column) => (column[at] ?? '').padEnd(16)).join('')}`.trimEnd());
  }
}

function uuid(position: number): string {
  const hex = position.toString(16);
  return `${hex.padStart(8, '0')}-0000-4000-8000-${hex.padStart(12, '0')}`;
}
