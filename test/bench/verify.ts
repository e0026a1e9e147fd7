// The verification of what an access point has received, beside a create of the same document and a server that only parses and echoes.
import { setTimeout as pause } from 'node:timers/promises';
import { AP_TOKEN } from '../support/access-point.ts';
import { LOCAL_NETWORK } from '../support/core.ts';
import { BUYER, invoiceOfSize, SELLER } from '../support/documents.ts';
import { envelopeOf } from '../support/network-answers.ts';
import { startBenchCore } from './bench-core.ts';
import { AT_ONCE, DOCUMENT_BYTES, figures, LINES, startBare } from './core.ts';
import { median, table } from './figures.ts';
import { fire, fireSteadily, type Load, type Shot } from './http-load.ts';
import type { BenchOptions } from './options.ts';

const ROUNDS = 3;
const PER_SECOND = 200;

export async function benchVerify({ short, print }: BenchOptions): Promise<void> {
  const documents = short ? 400 : 4_000;
  const steadyMs = short ? 2_000 : 20_000;
  print(
    `  invoices of ${DOCUMENT_BYTES} bytes in their envelopes, ${AT_ONCE} requests at once; ${ROUNDS} rounds of ${documents}, in turns`,
  );
  await using core = await startBenchCore({
    ...LOCAL_NETWORK,
    kind: 'peppol',
    country: 'SE',
    accessPoint: 'http',
    url: 'http://127.0.0.1:9',
    token: AP_TOKEN,
  });
  await using bare = await startBare();
  const verifications = verifyShots(documents, false);
  const subjects: readonly (readonly [string, (round: number) => Promise<Load>])[] = [
    ['verifications', () => fire(core.url, verifications, AT_ONCE)],
    ['verifications, each by a connection of its own', () => fire(core.url, verifyShots(documents, true), AT_ONCE)],
    ['creates of the same documents', (round) => fire(core.url, createShots(core.buyer.gatewayKey, documents, round), AT_ONCE)],
    [
      'bare fastify: parse and echo',
      () =>
        fire(
          bare.url,
          verifications.map((shot) => ({ ...shot, path: '/' })),
          AT_ONCE,
        ),
    ],
  ];
  const loads = subjects.map((): Load[] => []);
  for (let round = -1; round < ROUNDS; round++) {
    for (const [at, [, run]] of subjects.entries()) {
      const load = await run(round);
      // The first round warms up.
      if (round >= 0) loads[at]?.push(load);
    }
  }
  const [verified = [], , created = [], echoed = []] = loads;
  const ratio = (others: readonly Load[]): string =>
    median(verified.map(({ perSecond }, at) => perSecond / (others[at]?.perSecond ?? Number.NaN))).toFixed(2);
  print(
    table([
      ...subjects.map(([name], at): [string, string] => [name, figures(loads[at] ?? [])]),
      ['verifications for each create', ratio(created)],
      ['verifications for each echo', ratio(echoed)],
    ]),
  );
  print(`\n  ${PER_SECOND} a second, each by a connection of its own, timed from when it was due`);
  const steady = fireSteadily(core.url, verifyShots(documents, true), PER_SECOND);
  await pause(steadyMs);
  print(table([['verifications', figures([await steady.stop()])]]));
}

/** As phoss-ap asks. */
export function verifyShots(count: number, reset: boolean): Shot[] {
  return Array.from({ length: count }, (_, at) => ({
    method: 'POST',
    path: '/api/dd_and_validate/',
    headers: { 'x-token': AP_TOKEN, 'content-type': 'application/xml', accept: 'application/json' },
    body: envelopeOf(invoiceOfSize(DOCUMENT_BYTES, { id: `V-${at}`, lines: LINES, sender: BUYER, receiver: SELLER }), {
      instanceId: `7f0a6b7e-0000-4000-8000-${String(at).padStart(12, '0')}`,
      sender: BUYER,
      receiver: SELLER,
    }),
    reset,
  }));
}

function createShots(key: string, count: number, round: number): Shot[] {
  return Array.from({ length: count }, (_, at) => ({
    method: 'POST',
    path: '/transaction/buyer/invoices/outgoing',
    headers: { authorization: key, 'content-type': 'application/xml', 'idempotency-key': `bench-${round}-${at}-padded` },
    body: invoiceOfSize(DOCUMENT_BYTES, { id: `V-${round}-${at}`, lines: LINES, sender: BUYER, receiver: SELLER }),
  }));
}
