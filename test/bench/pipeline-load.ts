// The load of the pipeline bench: invoices to many buyers, uploaded as fast as they are taken or at a fixed rate, and when each of them
// was accepted and published.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestDaemon } from '../support/daemon.ts';
import { invoice, invoiceOfSize } from '../support/documents.ts';
import { participantOfBuyer } from './parties.ts';

export const DOCUMENT_BYTES = 10_000;
const DONE_WITHIN_MS = 300_000;
/** Whoever looks more often takes one of the two cores from what is measured: there are thousands of files to list. */
const LOOK_EVERY_MS = 500;

export interface Load {
  readonly documents: number;
  readonly buyers: number;
  readonly atOnce: number;
  /** Documents a second, whatever becomes of them; without it each upload begins when another one has ended. */
  readonly perSecond?: number;
  /** Lines of each invoice, however long that is; without it it has one, and an attachment. */
  readonly lines?: number;
  /** Number of the first document, where others went before. */
  readonly from: number;
}

/** When a load began, and for each of its documents when CLOSE was answered, and how long that took. */
export interface Uploads {
  readonly startMs: number;
  readonly closedMs: readonly number[];
  readonly closingMs: readonly number[];
}

export interface Times extends Uploads {
  /** Moments, by document: receipt there; file in the outbox. */
  readonly acceptedMs: readonly number[];
  readonly publishedMs: readonly number[];
}

/** Uploads one document, and resolves with how long its CLOSE took. */
export type Upload = (name: string, bytes: Buffer) => Promise<number>;

/** Uploads the whole load: each of `lanes` is one upload after the other. */
export async function uploadAll(load: Load, lanes: readonly Upload[]): Promise<Uploads> {
  const documents = Array.from({ length: load.documents }, (_, at) => bytesOf(load, at));
  const closingMs: number[] = [];
  const closedMs: number[] = [];
  const startMs = now();
  const left = documents.entries();
  await Promise.all(
    lanes.map(async (upload) => {
      for (const [at, bytes] of left) {
        await dueAt(load, startMs, at);
        closingMs[at] = await upload(`b-${load.from + at}.xml`, bytes);
        closedMs[at] = now();
      }
    }),
  );
  return { startMs, closedMs, closingMs };
}

function bytesOf({ from, buyers, lines }: Load, at: number): Buffer {
  const number = from + at;
  const options = { id: `B-${number}`, receiver: participantOfBuyer(number % buyers) };
  return Buffer.from(lines === undefined ? invoiceOfSize(DOCUMENT_BYTES, options) : invoice({ ...options, lines }));
}

/** Resolves when it is the document's turn. */
export async function dueAt({ perSecond }: Pick<Load, 'perSecond'>, startMs: number, at: number): Promise<void> {
  if (perSecond === undefined) return;
  const waitMs = startMs + (at / perSecond) * 1_000 - now();
  if (waitMs > 0) await pause(waitMs);
}

/** Resolves when everything up to the end of the load has been accepted, published and reported as delivered. */
export async function settled(daemon: TestDaemon, { documents, from }: Load): Promise<void> {
  const total = from + documents;
  const receivers = receiversOf(daemon);
  const receipts = (stage: string): number => daemon.files('seller', 'receipts').filter((name) => name.includes(`.${stage}.`)).length;
  const published = (): number => receivers.reduce((sum, each) => sum + daemon.files(each, 'outbox').length, 0);
  const deadline = now() + DONE_WITHIN_MS;
  while (published() < total || receipts('accepted') < total || receipts('delivered') < total) {
    if (now() > deadline) throw new Error(`not every document was accepted, published and delivered within ${DONE_WITHIN_MS} ms`);
    await pause(LOOK_EVERY_MS);
  }
}

/** A rename sets the change time, so nobody has to watch, and watching costs nothing. */
export function timesOf(daemon: TestDaemon, load: Load, uploads: Uploads): Times {
  const receivers = receiversOf(daemon);
  return {
    ...uploads,
    acceptedMs: arrivals(daemon, 'seller', 'receipts', /^b-(\d+)\.xml\.[^.]+\.accepted\.json$/, load),
    publishedMs: receivers.reduce<number[]>(
      (all, each) => Object.assign(all, arrivals(daemon, each, 'outbox', /_Invoice_B-(\d+)_/, load)),
      [],
    ),
  };
}

/** How long after its CLOSE was answered each document got there. */
export function afterClose({ closedMs }: Pick<Uploads, 'closedMs'>, moments: readonly number[]): number[] {
  return moments.map((moment, at) => moment - (closedMs[at] ?? Number.NaN));
}

/** Loads may go to some of them only. */
function receiversOf({ data }: TestDaemon): string[] {
  return readdirSync(join(data, 'homes')).filter((home) => home !== 'seller');
}

/** Moments at which the documents of the load came into a folder, by the numbers in its files' names. */
export function arrivals(
  daemon: Pick<TestDaemon, 'files' | 'home'>,
  account: string,
  folder: string,
  pattern: RegExp,
  { from, documents }: Pick<Load, 'from' | 'documents'>,
): number[] {
  const times: number[] = [];
  for (const name of daemon.files(account, folder)) {
    const at = Number(pattern.exec(name)?.[1]) - from;
    if (at >= 0 && at < documents) times[at] = statSync(join(daemon.home(account, folder), name)).ctimeMs;
  }
  return times;
}

export function now(): number {
  return performance.timeOrigin + performance.now();
}
