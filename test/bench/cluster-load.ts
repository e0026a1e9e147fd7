// The load of the cluster bench: invoices from many sellers, each to its buyer, over SSH; the seller's sessions are at the node that a balancer has given them.
import { setTimeout as pause } from 'node:timers/promises';
import { buyerOf, sellerOf } from '../support/cluster.ts';
import type { TestDaemon } from '../support/daemon.ts';
import { invoiceOfSize } from '../support/documents.ts';
import { arrivals, DOCUMENT_BYTES, dueAt, now, type Times, type Uploads } from './pipeline-load.ts';
import { openSshLanes, type SshLanes } from './pipeline-ssh.ts';

/** As many sellers as buyers. */
export const PAIRS = 16;
const CHANNELS = 2;
const DONE_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 500;

export interface ClusterLoad {
  readonly documents: number;
  /** Documents a second, whatever becomes of them; without it as fast as they are taken. */
  readonly perSecond?: number;
  /** Number of the first document. */
  readonly from: number;
}

/** Sessions of all sellers. */
export interface Sellers extends Disposable {
  upload(load: ClusterLoad): Promise<Uploads>;
}

export async function openSellers(nodes: readonly TestDaemon[]): Promise<Sellers> {
  using opened = new DisposableStack();
  const sessions: SshLanes[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const node = nodes[pair % nodes.length];
    if (node) sessions.push(opened.use(await openSshLanes(node, CHANNELS, `erp${pair}`)));
  }
  const kept = opened.move();
  return { upload: (load) => uploadAll(load, sessions), [Symbol.dispose]: () => kept.dispose() };
}

async function uploadAll(load: ClusterLoad, sessions: readonly SshLanes[]): Promise<Uploads> {
  const bytes = Array.from({ length: load.documents }, (_, at) => bytesOf(load.from + at));
  const [closingMs, closedMs]: [number[], number[]] = [[], []];
  const startMs = now();
  const uploading = sessions.flatMap(({ lanes }, pair) => {
    const left = [...bytes.entries()].filter(([at]) => (load.from + at) % PAIRS === pair).values();
    return lanes.map(async (upload) => {
      for (const [at, document] of left) {
        await dueAt(load, startMs, at);
        closingMs[at] = await upload(`b-${load.from + at}.xml`, document);
        closedMs[at] = now();
      }
    });
  });
  await Promise.all(uploading);
  return { startMs, closedMs, closingMs };
}

function bytesOf(number: number): Buffer {
  const pair = number % PAIRS;
  return Buffer.from(invoiceOfSize(DOCUMENT_BYTES, { id: `B-${number}`, sender: sellerOf(pair), receiver: buyerOf(pair) }));
}

/** Resolves when everything up to the end of the load is published and reported as delivered. */
export async function settled(homes: Pick<TestDaemon, 'files'>, { documents, from }: ClusterLoad): Promise<void> {
  const total = from + documents;
  const sum = (count: (pair: number) => number): number => Array.from({ length: PAIRS }, (_, pair) => count(pair)).reduce((a, b) => a + b);
  const receipts = (stage: string) => (pair: number) =>
    homes.files(`seller${pair}`, 'receipts').filter((name) => name.includes(`.${stage}.`)).length;
  const published = (pair: number): number => homes.files(`buyer${pair}`, 'outbox').length;
  const deadline = now() + DONE_WITHIN_MS;
  while ([published, receipts('accepted'), receipts('delivered')].some((count) => sum(count) < total)) {
    if (now() > deadline) throw new Error(`not every document was accepted, published and delivered within ${DONE_WITHIN_MS} ms`);
    await pause(LOOK_EVERY_MS);
  }
}

export function timesOf(homes: TestDaemon, load: ClusterLoad, uploads: Uploads): Times {
  const all = (account: string, folder: string, pattern: RegExp): number[] =>
    Array.from({ length: PAIRS }, (_, pair) => arrivals(homes, `${account}${pair}`, folder, pattern, load)).reduce<number[]>(
      (sum, each) => Object.assign(sum, each),
      [],
    );
  return {
    ...uploads,
    acceptedMs: all('seller', 'receipts', /^b-(\d+)\.xml\.[^.]+\.accepted\.json$/),
    publishedMs: all('buyer', 'outbox', /_Invoice_B-(\d+)_/),
  };
}
