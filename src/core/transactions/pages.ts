// Selects the pages of the list, read and status endpoints, and sets the read marks.

import type { MessageRow } from '#core/ledger/messages.ts';
import { type Filter, selectPage, takePage } from '#core/ledger/pages.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { AppError } from '#domain/error.ts';
import type { Clock } from '#runtime/clock.ts';

export interface PageParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Bytes of a request body at the most. */
  readonly bodyMax: number;
}

/** Bytes of stored documents that one page may hold; a single document always fits. */
const PAGE_BYTES_MAX = 64 * 1024 * 1024;

/** A page of a plain list, which changes no mark. Throws `bad-request` when the page would be too large to send. */
export async function listPage({ ledger, bodyMax }: PageParts, filter: Filter): Promise<MessageRow[]> {
  return checkSize(bodyMax, await selectPage(ledger.read, filter));
}

/** A page with metadata only. */
export async function statusPage({ ledger }: PageParts, filter: Filter): Promise<MessageRow[]> {
  return selectPage(ledger.read, filter);
}

/** A page of a read endpoint: chosen and marked in one transaction. Throws as listPage does, and then nothing is marked. */
export async function readPage({ ledger, clock, bodyMax }: PageParts, filter: Filter, mark: 'read' | 'unread'): Promise<MessageRow[]> {
  // Read endpoints are polled, and an empty page needs no transaction. A request for one document is seldom in vain.
  if (filter.integrationId === null && (await selectPage(ledger.read, { ...filter, limit: 1 })).length === 0) return [];
  return ledger.write([`account ${filter.accountRegNo}`], async (rows) => {
    // What is too large throws, and then nothing is marked.
    return checkSize(bodyMax, await takePage(rows, filter, mark === 'read' ? clock.now() : null));
  });
}

function checkSize(bodyMax: number, page: MessageRow[]): MessageRow[] {
  const bytes = page.reduce((sum, { size }) => sum + size, 0);
  const bytesMax = Math.max(PAGE_BYTES_MAX, 3 * bodyMax);
  if (page.length > 1 && bytes > bytesMax) {
    const sentence = `A page of ${page.length} documents would hold ${bytes} bytes, more than ${bytesMax}: ask for a smaller limit.`;
    throw new AppError('bad-request', sentence, { facts: { maxBytes: bytesMax } });
  }
  return page;
}
