// Enrichment jobs: stored, worked on one at a time with accounts taking turns, polled by their pollingId, and forgotten after a day.

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { v4 } from 'uuid';
import { ENRICHMENT_TYPES, EnrichmentResult, type EnrichmentType, POLL_EVERY_S } from '#contract/enrichment.ts';
import {
  accountsWaiting,
  countWaiting,
  deleteEnrichments,
  type EnrichmentRow,
  findEnrichment,
  finishEnrichment,
  insertEnrichment,
  markPolled,
  takeEnrichment,
} from '#core/ledger/enrichments.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { holdFor } from '#core/model/hold.ts';
import { startSweeping } from '#core/model/owed.ts';
import { AppError } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import { ownJson } from '#domain/json.ts';
import type { Queue } from '#engines/queue.ts';
import type { Log } from '#runtime/log.ts';
import { type CaptureParts, capture } from './capture.ts';

const KEEP_MS = 24 * 60 * 60_000;
const WAITING_MAX = 100;
/** Longer than any job takes. */
const HELD_MS = 5 * 60_000;

export interface JobParts extends CaptureParts {
  readonly ledger: Ledger;
  readonly random: Random;
  readonly log: Log;
  readonly queue: Queue;
  /** Of this core. */
  readonly incarnation: string;
}

type Enrich = (parts: JobParts, content: Uint8Array) => Promise<EnrichmentResult>;

const ENRICH: Readonly<Record<EnrichmentType, Enrich>> = { capture };

interface EnrichmentRequest {
  readonly fileName: string | null;
  /** Base64. */
  readonly fileContent: string;
  readonly enrichmentTypes: readonly string[];
}

/** Takes a job, and returns its pollingId. Throws `not-implemented` for a type that we cannot do, `invalid`, `rate-limited`. */
export async function takeJob(parts: JobParts, accountRegNo: string, request: EnrichmentRequest): Promise<string> {
  const { ledger, clock, random, queue, log } = parts;
  const { fileName, fileContent, enrichmentTypes } = request;
  const types = [...new Set(enrichmentTypes)];
  const unknown = types.find((type) => !isType(type));
  if (unknown !== undefined) throw new AppError('not-implemented', `The enrichment '${unknown}' is not offered by this service.`);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(fileContent)) {
    throw new AppError('invalid', 'fileContent is no base64: encode the bytes of the file.');
  }
  const pollingId = v4({ random: random(16) });
  await ledger.write([`account ${accountRegNo}`], async (rows) => {
    if ((await countWaiting(rows, accountRegNo)) >= WAITING_MAX) {
      const sentence = `${WAITING_MAX} enrichments are waiting already: send this one again in ${POLL_EVERY_S} seconds.`;
      throw new AppError('rate-limited', sentence, { facts: { limit: WAITING_MAX, retryAfterSeconds: POLL_EVERY_S } });
    }
    const content = Buffer.from(fileContent, 'base64');
    await insertEnrichment(rows, { pollingId, accountRegNo, types, fileName, content }, clock.now());
  });
  log.info({ event: 'enrichment.taken', pollingId, accountRegNo, types });
  queue.ring('enrichment', accountRegNo);
  return pollingId;
}

const resultsCheck = Compile(Type.Array(EnrichmentResult));

/**
 * The results of a job, one for each type; null while it is worked on. Throws `missing` for a job that is not there (any more) or another
 * account's, `rate-limited` when it was asked for less than 30 seconds ago.
 */
export async function pollJob({ ledger, clock }: JobParts, accountRegNo: string, pollingId: string): Promise<EnrichmentResult[] | null> {
  const row = await ledger.write([`account ${accountRegNo}`], async (rows) => {
    const now = clock.now();
    const job = await findEnrichment(rows, pollingId);
    if (job?.account_reg_no !== accountRegNo || now - job.created_at >= KEEP_MS) {
      throw new AppError('missing', 'There is no such enrichment, or its time is over.');
    }
    const waitMs = job.polled_at === null ? 0 : job.polled_at + POLL_EVERY_S * 1_000 - now;
    if (waitMs > 0) throw tooOften(waitMs);
    await markPolled(rows, pollingId, now);
    return job;
  });
  if (row.result === null) return null;
  return ownJson(row.result, resultsCheck, 'The result of an enrichment cannot be read.');
}

function tooOften(waitMs: number): AppError {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  const sentence = `An enrichment may be polled once in ${POLL_EVERY_S} seconds: wait ${retryAfterSeconds} s.`;
  return new AppError('rate-limited', sentence, { facts: { limit: 1, retryAfterSeconds } });
}

/**
 * Works on one job at a time. Accounts ring, not jobs: an account with more jobs rings again behind the others, so that no account waits for
 * more than one job of each other account. Dispose to look for no more.
 */
export async function startEnriching(parts: JobParts): Promise<Disposable> {
  const { ledger, queue } = parts;
  queue.answer('enrichment', 1, async (accountRegNo) => {
    const hold = holdFor(parts, HELD_MS);
    const job = await ledger.write([], (rows) => takeEnrichment(rows, accountRegNo, hold));
    if (!job) return;
    await enrich(parts, job);
    queue.ring('enrichment', accountRegNo);
  });
  return startSweeping(parts, 'enrichment', () => accountsWaiting(ledger.read));
}

async function enrich(parts: JobParts, { polling_id: pollingId, account_reg_no: accountRegNo, ...job }: EnrichmentRow): Promise<void> {
  const { ledger, log } = parts;
  const { content } = job;
  const types = ENRICHMENT_TYPES.filter((type) => job.types.includes(`"${type}"`));
  const results =
    content === null ? [] : await Promise.all(types.map((type) => ENRICH[type](parts, content).catch(failed(parts, pollingId, type))));
  await ledger.write([], (rows) => finishEnrichment(rows, pollingId, JSON.stringify(results)));
  log.info({ event: 'enrichment.done', pollingId, accountRegNo, states: results.map(({ state }) => state) });
}

/** A file on which the enrichment fails does not hold up the jobs behind it. */
function failed({ log }: JobParts, pollingId: string, type: EnrichmentType) {
  return (error: unknown): EnrichmentResult => {
    log.error({ event: 'enrichment.failed', pollingId, type, err: error });
    const message = 'The service failed on this file: send it once more, and tell the service if it fails again.';
    return { type, state: 'failed', documentType: null, message, document: null, findings: [] };
  };
}

/** Forgets the jobs whose time is over. */
export async function forgetOldJobs({ ledger, clock }: Pick<JobParts, 'ledger' | 'clock'>): Promise<void> {
  await ledger.write([], (rows) => deleteEnrichments(rows, clock.now() - KEEP_MS));
}

function isType(type: string): type is EnrichmentType {
  return ENRICHMENT_TYPES.some((known) => known === type);
}
