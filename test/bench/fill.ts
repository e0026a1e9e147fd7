// Fills a core's ledger with stored messages by SQL: incoming invoices of the buyer, over two years, most of them read.
import { CompiledQuery } from 'kysely';
import type { Ledger } from '#core/ledger/schema.ts';
import { BUYER, SELLER } from '../support/documents.ts';

const DAY_MS = 24 * 60 * 60_000;
/** The first day of what is filled in. */
export const FIRST_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 730 * DAY_MS;
/** One for each message of the largest fill, up to yesterday. */
const STEP_MS = Math.floor((729 * DAY_MS) / 1_000_000);
const BATCH = 50_000;

/** The day on which a message was created, `YYYY-MM-DD`. */
export function dayOf(position: number): string {
  return new Date(FIRST_MS + position * STEP_MS).toISOString().slice(0, 10);
}

/** Every tenth is unread, every hundredth was overwritten three days later. Positions `from` to `to`, both included. */
export async function fill(
  ledger: Ledger,
  from: number,
  to: number,
  document: Uint8Array = new TextEncoder().encode(SMALL),
): Promise<void> {
  for (let first = from; first <= to; first += BATCH) {
    const last = Math.min(first + BATCH - 1, to);
    await ledger.write([], async (rows) => {
      await rows.executeQuery(CompiledQuery.raw(MESSAGES, [first, last]));
      await rows.executeQuery(CompiledQuery.raw(CONTENTS, [document, first, last]));
    });
  }
}

const MESSAGES = `
  with recursive place(n) as (select ? union all select n + 1 from place where n < ?),
  filled(n, created) as (select n, ${FIRST_MS} + n * ${STEP_MS} from place)
  insert into messages (integration_id, account_reg_no, direction, family, document_id, sender, receiver, counterparty, status, version, size,
    created_at, updated_at, updated_later, read_at, position)
  select format('%08x-0000-4000-8000-%012x', n, n), 'buyer', 'incoming', 'Invoice', 'D-' || n, '${SELLER}', '${BUYER}', '${SELLER}', 'received', 1, 600,
    created, iif(n % 100 = 0, created + ${3 * DAY_MS}, created), iif(n % 100 = 0, 1, 0), iif(n % 10 = 0, null, created), n
  from filled`;

const CONTENTS = `
  insert into message_contents (sequence, version, notation, sha256, bytes)
  select sequence, 1, 'xml', '', ? from messages where account_reg_no = 'buyer' and direction = 'incoming' and position between ? and ?`;

/** Small, so that a million of them fit on the disk: how long a page takes to find is what is measured. */
const SMALL =
  '<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><cbc:ID>D</cbc:ID></Invoice>';
