// What the core has of an account beside its messages, as lines of files: whatever is erased with it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selectRequestsAfter } from '#core/ledger/account-data.ts';
import { enrichmentsOf, findEnrichment } from '#core/ledger/enrichments.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { findTurnedAway, selectTurnedAwayAfter } from '#core/ledger/turned-away.ts';
import { selectChecked } from '#core/ledger/watched.ts';
import { selectEventsAfter } from '#core/ledger/webhook-events.ts';
import { selectWebhooksOf, typesOf } from '#core/ledger/webhooks.ts';
import { isoTime, isoTimes } from '#domain/day.ts';
import { ensureFolder } from '#runtime/files/durable.ts';
import { appendLine } from '#runtime/files/json-lines.ts';

/** May write files beside its lines, below the folder. */
type Lines = (rows: Rows, accountRegNo: string, folder: string) => AsyncIterable<object>;

const FILES: Readonly<Record<string, Lines>> = {
  'turned-away.jsonl': turnedAway,
  'enrichments.jsonl': enrichments,
  'webhooks.jsonl': webhooks,
  'webhook-events.jsonl': webhookEvents,
  'requests.jsonl': requests,
  'registrations.jsonl': registrations,
};

const PAGE = 50;
/** An account has fewer participants. */
const REGISTRATIONS_MAX = 100_000;

export async function exportBeside(rows: Rows, accountRegNo: string, folder: string): Promise<void> {
  for (const [file, lines] of Object.entries(FILES)) {
    for await (const line of lines(rows, accountRegNo, folder)) appendLine(folder, file, line);
  }
}

async function* turnedAway(rows: Rows, accountRegNo: string, folder: string) {
  for (let page = await selectTurnedAwayAfter(rows, accountRegNo, 0, PAGE); page.length > 0; ) {
    for (const { instanceId } of page) {
      const found = await findTurnedAway(rows, instanceId);
      if (!found) continue;
      const { sequence, accountRegNo: _, turnedAwayAt, findings, document, ...facts } = found;
      // The sender has chosen the id of the envelope.
      const file = document && writeBeside(folder, 'turned-away', `${sequence}.xml`, document);
      yield { ...facts, turnedAwayAt: isoTime(turnedAwayAt), findings: JSON.parse(findings), file };
    }
    page = await selectTurnedAwayAfter(rows, accountRegNo, page.at(-1)?.sequence ?? 0, PAGE);
  }
}

async function* enrichments(rows: Rows, accountRegNo: string, folder: string) {
  for (const pollingId of await enrichmentsOf(rows, accountRegNo)) {
    const job = await findEnrichment(rows, pollingId);
    if (!job) continue;
    yield {
      pollingId,
      types: JSON.parse(job.types),
      fileName: job.file_name,
      file: job.content && writeBeside(folder, 'enrichments', pollingId, job.content),
      result: job.result === null ? null : JSON.parse(job.result),
      createdAt: isoTime(job.created_at),
      polledAt: isoTime(job.polled_at),
    };
  }
}

/** Of an address the host: the rest may be a secret. */
async function* webhooks(rows: Rows, accountRegNo: string) {
  for (const row of await selectWebhooksOf(rows, accountRegNo)) {
    yield {
      id: row.id,
      scope: row.scope,
      partnerRegNo: row.partner_reg_no || null,
      host: new URL(row.url).host,
      types: typesOf(row.types),
      enabled: row.enabled === 1,
      disabledReason: row.disabled_reason,
      authType: row.auth_type,
      createdAt: isoTime(row.created_at),
      updatedAt: isoTime(row.updated_at),
    };
  }
}

async function* webhookEvents(rows: Rows, accountRegNo: string) {
  for (const { id: webhookId } of await selectWebhooksOf(rows, accountRegNo)) {
    for (let page = await selectEventsAfter(rows, webhookId, 0, PAGE); page.length > 0; ) {
      for (const event of page) {
        yield {
          eventId: event.event_id,
          webhookId,
          type: event.type,
          body: JSON.parse(event.body),
          createdAt: isoTime(event.created_at),
          attempts: event.attempts,
          nextAttemptAt: isoTime(event.next_attempt_at),
          reason: event.last_reason,
          deadAt: isoTime(event.dead_at),
        };
      }
      page = await selectEventsAfter(rows, webhookId, page.at(-1)?.sequence ?? 0, PAGE);
    }
  }
}

async function* requests(rows: Rows, accountRegNo: string) {
  for (let page = await selectRequestsAfter(rows, accountRegNo, ''); page.length > 0; ) {
    for (const { startedAt, response, ...request } of page) {
      yield { ...request, startedAt: isoTime(startedAt), response: Buffer.from(response).toString() };
    }
    page = await selectRequestsAfter(rows, accountRegNo, page.at(-1)?.key ?? '');
  }
}

async function* registrations(rows: Rows, accountRegNo: string) {
  const checked = await selectChecked(rows, { accountRegNo, limit: REGISTRATIONS_MAX });
  for (const { accountRegNo: _, since, lookedUpAt, nextLookAt, certificateEndsAt, ...facts } of checked) {
    if (nextLookAt === null) continue;
    yield { ...facts, ...isoTimes({ since, lookedUpAt, nextLookAt, certificateEndsAt }) };
  }
}

/** Returns its path below the folder. */
function writeBeside(folder: string, below: string, name: string, bytes: Uint8Array): string {
  writeFileSync(join(ensureFolder(folder, below), name), bytes);
  return `${below}/${name}`;
}
