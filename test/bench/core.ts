// The core under load: creates beside a server that only parses and echoes, lists and reads, and pages out of many messages.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { AccountKeys } from '#core/operate/administration.ts';
import { invoiceOfSize } from '../support/documents.ts';
import { BUDGET, startBenchCore } from './bench-core.ts';
import { benchPages } from './core-pages.ts';
import { median, p50And99, table } from './figures.ts';
import { fire, type Load, type Shot } from './http-load.ts';
import type { BenchOptions } from './options.ts';

export const DOCUMENT_BYTES = 10_000;
export const AT_ONCE = 32;
const ROUNDS = 3;

export async function benchCore(options: BenchOptions): Promise<void> {
  const { short, print } = options;
  print(
    `  invoices of ${DOCUMENT_BYTES} bytes in XML, ${AT_ONCE} requests at once, fsync on; budget ${BUDGET} requests a minute and account`,
  );
  await using core = await startBenchCore();
  await using bare = await startBare();
  const documents = short ? 200 : 2_000;
  const creates: Load[] = [];
  const echoes: Load[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const shots = createShots(core.seller, round, documents);
    const load = await fire(core.url, shots, AT_ONCE);
    const echo = await fire(
      bare.url,
      shots.map((shot) => ({ ...shot, path: '/' })),
      AT_ONCE,
    );
    // The first round warms up.
    if (round < 0) continue;
    creates.push(load);
    echoes.push(echo);
  }
  print(`\n  ${ROUNDS} rounds of ${documents}, in turns; each with an Idempotency-Key, stored for the sender and the receiver`);
  const ratio = creates.map(({ perSecond }, at) => perSecond / (echoes[at]?.perSecond ?? Number.NaN));
  print(
    table([
      ['creates', figures(creates)],
      ['bare fastify: parse and echo', figures(echoes)],
      ['creates for each echo', median(ratio).toFixed(2)],
    ]),
  );
  print('\n  Lists and reads of what was created');
  const answered: [string, string][] = [];
  for (const [name, shots, statuses] of requests(core.buyer, documents)) {
    answered.push([name, figures([await fire(core.url, shots, AT_ONCE, statuses)])]);
  }
  print(table(answered));
  await benchPages(options);
}

function requests(buyer: AccountKeys, count: number): [name: string, shots: Shot[], statuses: number[]][] {
  const get = (path: string, accept = 'application/json'): Shot[] => {
    const shot: Shot = {
      method: 'GET',
      path: `/transaction/buyer/invoices/incoming${path}`,
      headers: { authorization: buyer.apiKey, accept },
    };
    return Array.from({ length: count }, () => shot);
  };
  return [
    ['list, 3 documents in JSON', get(''), [200]],
    ['list, one document in XML', get('', 'application/xml'), [200]],
    ['read, 3 documents in JSON, marked', get('/readinvoices'), [200, 204]],
    ['status, 100 messages', get('/status?limit=100&includeRead=true'), [200]],
  ];
}

function createShots({ gatewayKey }: AccountKeys, round: number, count: number): Shot[] {
  return Array.from({ length: count }, (_, at) => ({
    method: 'POST',
    path: '/transaction/seller/invoices/outgoing',
    headers: { authorization: gatewayKey, 'content-type': 'application/xml', 'idempotency-key': `bench-${round}-${at}-padded` },
    body: invoiceOfSize(DOCUMENT_BYTES, { id: `B-${round}-${at}`, lines: LINES }),
  }));
}

/** So that the 10,000 bytes are elements, hardly any of them an attachment. */
export const LINES = 9;

export function figures(loads: readonly Load[]): string {
  const rate = median(loads.map(({ perSecond }) => perSecond));
  return `${rate.toFixed(0)}/s, p50 / p99 ${p50And99(loads.flatMap(({ milliseconds }) => milliseconds))}, ${median(loads.map(({ cpuMs }) => cpuMs)).toFixed(2)} ms of CPU each`;
}

export async function startBare(): Promise<AsyncDisposable & { readonly url: string }> {
  const worker = new Worker(new URL('./bare-server.ts', import.meta.url));
  const [url] = await once(worker, 'message');
  return {
    url: String(url),
    async [Symbol.asyncDispose]() {
      worker.postMessage('close');
      await once(worker, 'exit');
    },
  };
}
