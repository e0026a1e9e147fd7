// States of a ledger's rows that only a crash leaves, and what no surface of Dropgate tells of them. Tests name what they mean; tables and
// columns stand here alone.

import { sql } from 'kysely';
import { insertAccount } from '#core/ledger/accounts.ts';
import type { MessageRow } from '#core/ledger/messages.ts';
import type { Ledger as CoreLedger, Tables as CoreTables } from '#core/ledger/schema.ts';
import type { TransmissionRow } from '#core/ledger/transmissions.ts';
import { firstIdAt } from '#domain/id.ts';
import type { Ledger as GatewayLedger, Tables as GatewayTables } from '#gateway/ledger/schema.ts';

// Of both ledgers.

/** A table as it is after a fault that no command repairs: it is not there. */
export async function loseTable(ledger: CoreLedger, table: keyof CoreTables): Promise<void> {
  await ledger.write([], (rows) => rows.schema.dropTable(table).execute());
}

export async function countRows(ledger: CoreLedger, table: keyof CoreTables): Promise<number> {
  const { count } = await ledger.read
    .selectFrom(table)
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The rows of a table in the order of its first column, to be compared as they are. */
export function dumpTable(
  ledgers: { readonly core: CoreLedger } | { readonly gateway: GatewayLedger },
  table: string,
): Promise<Readonly<Record<string, unknown>>[]> {
  const { read } = 'core' in ledgers ? ledgers.core : ledgers.gateway;
  return sql<Readonly<Record<string, unknown>>>`select * from ${sql.table(table)} order by 1`.execute(read).then(({ rows }) => rows);
}

// Of the gateway's.

/** All rows of a table are lost. */
export async function emptyTable(ledger: GatewayLedger, table: keyof GatewayTables): Promise<void> {
  await ledger.write([], (rows) => rows.deleteFrom(table).execute());
}

/** What becomes of published files cannot be written down any more. */
export async function loseFetches(ledger: GatewayLedger): Promise<void> {
  await ledger.write([], (rows) => rows.schema.dropTable('fetches').execute());
}

/** Items as a crash leaves them before their documents were read: on behalf of the home's own account. */
export async function forgetHeads(ledger: GatewayLedger): Promise<void> {
  const unread = { family: null, document_id: null, sender: null, receiver: null, next_attempt_at: 0 };
  await ledger.write([], (rows) =>
    rows
      .updateTable('items')
      .set((row) => ({ ...unread, account_reg_no: row.ref('home') }))
      .execute(),
  );
}

/** Files that were published are owed again: a crash came before it was noted that they were in their place. */
export async function forgetWritten(ledger: GatewayLedger): Promise<void> {
  await ledger.write([], (rows) => rows.updateTable('publications').set({ written_at: null }).execute());
}

const RECEIVED = ['documents', 'publications', 'sweeps', 'stuck'] as const;

/** What was received for accounts whose names begin so. */
export async function forgetReceived(ledger: GatewayLedger, prefix: string): Promise<void> {
  await ledger.write([], async (rows) => {
    for (const table of RECEIVED) await rows.deleteFrom(table).where('account_reg_no', 'like', `${prefix}%`).execute();
  });
}

/** How many feeds have been swept at least once. */
export async function countStartedFeeds(ledger: GatewayLedger): Promise<number> {
  const started = ledger.read
    .selectFrom('sweeps')
    .select((row) => row.fn.countAll<number>().as('feeds'))
    .where('started', '>', 0);
  return Number((await started.executeTakeFirstOrThrow()).feeds);
}

/** A ledger on PostgreSQL holds so many items of twenty accounts, and as many received documents; the last of either have not ended. */
export async function fillLedger(ledger: GatewayLedger, { count, open }: { readonly count: number; readonly open: number }): Promise<void> {
  const isOpen = sql`at > ${count - open}::integer`;
  const rowsOf = sql`from (select at, 'account-' || at % 20 as account from generate_series(1, ${count}::integer) as at) as each`;
  await ledger.write([], async (rows) => {
    await sql`
      insert into items (item, account_reg_no, home, file_name, spool_name, mode, sha256, size, received_at, state, next_attempt_at, lease_until,
        recovered, family, document_id, sender, receiver, ended_at, waits_for)
      select lpad(at::text, 26, '0'), account, account, at || '.xml', at || '.xml', 'create', '', 1, at, case when ${isOpen} then 'pending' else 'accepted' end,
        0, 0, 0, 'Invoice', 'document-' || at, account, 'receiver-' || at % 97, case when not ${isOpen} then at end,
        case when ${isOpen} and at % 2 = 0 then lpad((at - 1)::text, 26, '0') end ${rowsOf}`.execute(rows);
    await sql`
      insert into documents (account_reg_no, family, integration_id, version, state, marked_at)
      select account, 'Invoice', 'id-' || at, 1, 'published', case when not ${isOpen} then at end ${rowsOf}`.execute(rows);
  });
}

/** So many accepted documents of a home, `N-1` and so on, that were dropped within a second from `sinceMs`; each has its receipt. */
export async function fillHome(ledger: GatewayLedger, home: string, count: number, sinceMs: number): Promise<void> {
  const item = sql`${firstIdAt(sinceMs)} || substr(cast(10000000000000000 + at as text), 2, 16)`;
  const each = sql`from (with recursive each(at) as (select 1 union all select at + 1 from each where at < ${sql.lit(count)}) select at from each) as numbered`;
  await ledger.write([], async (rows) => {
    await sql`
      insert into items (item, account_reg_no, home, file_name, spool_name, mode, sha256, size, received_at, state, next_attempt_at, lease_until,
        recovered, family, document_id, sender, receiver, ended_at)
      select ${item}, ${sql.lit(home)}, ${sql.lit(home)}, at || '.xml', at || '.xml', 'send', '', 1, ${sql.lit(sinceMs)}, 'accepted', 0, 0, 0, 'Invoice',
        'N-' || at, '0088:7300010000001', '0088:7350000000016', ${sql.lit(sinceMs)} ${each}`.execute(rows);
    await sql`
      insert into publications (account_reg_no, home, folder, name, staged, subject, stage, written_at)
      select ${sql.lit(home)}, ${sql.lit(home)}, 'receipts', at || '.json', '', ${item}, 'accepted', ${sql.lit(sinceMs)} ${each}`.execute(
      rows,
    );
  });
}

/** Orders that were put into the account's outbox, told by number, sender and the digest of their bytes. */
export async function putReceivedOrders(
  ledger: GatewayLedger,
  accountRegNo: string,
  orders: readonly { readonly documentId: string; readonly sender: string; readonly sha256: string }[],
): Promise<void> {
  const rows = orders.map(({ documentId, sender, sha256 }) => ({
    account_reg_no: accountRegNo,
    family: 'Order',
    integration_id: `received-${documentId}`,
    version: 1,
    content_sha256: sha256,
    state: 'published' as const,
    marked_at: 0,
    received_at: 0,
    document_id: documentId,
    sender,
  }));
  await ledger.write([], (into) => into.insertInto('documents').values(rows).execute());
}

// Of the core's.

/** Documents that were sent, and how many versions of them. */
export async function countSent(ledger: CoreLedger): Promise<{ documents: number; messages: number }> {
  const { documents, messages } = await ledger.read
    .selectFrom('messages')
    .select((row) => [row.fn.count('document_id').distinct().as('documents'), row.fn.sum('version').as('messages')])
    .where('direction', '=', 'outgoing')
    .executeTakeFirstOrThrow();
  return { documents: Number(documents), messages: Number(messages) };
}

/** All messages, the latest first. */
export function allMessages(ledger: CoreLedger): Promise<MessageRow[]> {
  return ledger.read.selectFrom('messages').selectAll().orderBy('created_at', 'desc').orderBy('sequence', 'desc').execute();
}

/** A message has a status again that it has left: it waits for the network's word. */
export async function setBack(ledger: CoreLedger, integrationId: string, status: 'queued' | 'sent'): Promise<void> {
  await ledger.write([], (rows) => rows.updateTable('messages').set({ status }).where('integration_id', '=', integrationId).execute());
}

/** The only transmission, as the functions of network/ take it. */
export function theTransmission(ledger: CoreLedger): Promise<TransmissionRow> {
  return ledger.read.selectFrom('transmissions').selectAll().executeTakeFirstOrThrow();
}

const FAR_MS = Date.parse('9999-01-01');
const TRANSMITTED_TOGETHER = 50_000;
const TRANSMITTED_ACCOUNTS = 20;

/**
 * So many documents that left for the network, of accounts `account-0` and so on, in the time up to `untilMs`, three at each moment: nearly all have been delivered, a few in a
 * thousand failed, were never heard of, were replaced, or are asked for, and the last ones wait for ever.
 */
export async function fillTransmissions(
  ledger: CoreLedger,
  { count, stepMs, untilMs }: { readonly count: number; readonly stepMs: number; readonly untilMs: number },
): Promise<void> {
  await ledger.write([], async (rows) => {
    for (let at = 0; at < TRANSMITTED_ACCOUNTS; at++)
      await insertAccount(rows, { accountRegNo: `account-${at}`, name: '' }, untilMs - count * stepMs);
  });
  for (let first = 0; first < count; first += TRANSMITTED_TOGETHER) {
    const last = Math.min(first + TRANSMITTED_TOGETHER, count) - 1;
    const each = sql`from (with recursive each(at) as (select ${sql.lit(first)} union all select at + 1 from each where at < ${sql.lit(last)})
      select at, cast(${sql.lit(untilMs - count * stepMs)} as bigint) + cast(at / 3 as bigint) * ${sql.lit(3 * stepMs)} as created from each) as numbered`;
    const account = sql`'account-' || (at % ${sql.lit(TRANSMITTED_ACCOUNTS)})`;
    const waits = sql`at >= ${sql.lit(count - TRANSMITTED_ACCOUNTS)}`;
    const status = sql`case when ${waits} or at % 1000 = 7 then 'queued' when at % 1000 = 8 then 'failed' when at % 100 = 9 then 'sent' else 'delivered' end`;
    await ledger.write([], async (rows) => {
      await sql`
        insert into messages (integration_id, account_reg_no, direction, family, document_id, sender, receiver, counterparty, status, version, size,
          created_at, updated_at, updated_later, position)
        select 'transmitted-' || at, ${account}, 'outgoing', 'Invoice', 'T-' || at, '0088:1', '0088:2', '', ${status},
          case when at % 1000 = 10 then 2 else 1 end, 1, created, created, 0, at / ${sql.lit(TRANSMITTED_ACCOUNTS)} + 1 ${each}`.execute(
        rows,
      );
      await sql`
        insert into transmissions (instance_id, sequence, version, account_reg_no, state, found, attempts, next_attempt_at, created_at)
        select integration_id, sequence, 1, ${account},
          case when ${waits} then 'waiting' when status = 'queued' then 'silent' when status = 'failed' then 'failed' when version = 2 then 'replaced'
            when status = 'sent' then 'handed' else 'done' end,
          1, 1, case when ${waits} or status = 'sent' then ${sql.lit(FAR_MS)} end, created
        from messages inner join (select * ${each}) as sent on integration_id = 'transmitted-' || at`.execute(rows);
    });
  }
}

/** A document that the access point has not taken since then, in several tries. */
export async function leaveUntaken(ledger: CoreLedger, sinceMs: number): Promise<void> {
  await fillTransmissions(ledger, { count: 1, stepMs: 1, untilMs: sinceMs });
  await ledger.write([], (rows) => rows.updateTable('transmissions').set({ attempts: 2 }).execute());
}

/** Whether a try to hand something over is under way. */
export async function isHandingOver(ledger: CoreLedger): Promise<boolean> {
  const held = ledger.read.selectFrom('transmissions').select('instance_id').where('held_by', 'is not', null);
  return (await held.executeTakeFirst()) !== undefined;
}

/** The core was killed in the middle of the hand-over: nothing of its outcome is written down. */
export async function leaveHandingOver(ledger: CoreLedger, heldUntil?: number): Promise<void> {
  const before = {
    state: 'waiting',
    held_by: 'one that was killed',
    handed_at: null,
    posted_at: null,
    access_point_id: null,
    last_reason: null,
  } as const;
  const held = heldUntil === undefined ? {} : { next_attempt_at: heldUntil };
  await ledger.write([], (rows) =>
    rows
      .updateTable('transmissions')
      .set({ ...before, ...held })
      .execute(),
  );
}

/** The core was killed before it wrote down that the receiver was found. */
export async function forgetFound(ledger: CoreLedger): Promise<void> {
  await ledger.write([], (rows) => rows.updateTable('transmissions').set({ found: 0 }).execute());
}

/** An event that was not delivered. */
export interface OwedEvent {
  readonly eventId: string;
  readonly webhookId: string;
  readonly attempts: number;
  /** Null when it was given up. */
  readonly nextAttemptAt: number | null;
  /** When it may be tried; null when it was given up. */
  readonly dueAt: number | null;
  readonly deadAt: number | null;
  readonly reason: string | null;
}

/** In the order in which they happened; only those that are due by a time when it is given. */
export async function owedEvents(ledger: CoreLedger, byMs?: number): Promise<OwedEvent[]> {
  const events = ledger.read
    .selectFrom('webhook_events')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_events.webhook_id')
    .select(['event_id', 'webhook_id', 'attempts', 'next_attempt_at', 'paused_until', 'dead_at', 'last_reason'])
    .orderBy('sequence');
  const found = await (byMs === undefined ? events : events.where('next_attempt_at', '<=', byMs)).execute();
  const owed = found.map((row) => ({
    eventId: row.event_id,
    webhookId: row.webhook_id,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    dueAt: row.next_attempt_at === null ? null : Math.max(row.next_attempt_at, row.paused_until ?? 0),
    deadAt: row.dead_at,
    reason: row.last_reason,
  }));
  return byMs === undefined ? owed : owed.filter(({ dueAt }) => dueAt !== null && dueAt <= byMs);
}

/** As if a core had its turn with each of an account. */
export async function holdWebhooks(ledger: CoreLedger, accountRegNo: string, holder: string, heldUntil: number): Promise<void> {
  const held = { held_by: holder, held_until: heldUntil };
  await ledger.write([], (rows) => rows.updateTable('webhooks').set(held).where('account_reg_no', '=', accountRegNo).execute());
}

/** Whether a core has its turn with a webhook. */
export async function areHeld(ledger: CoreLedger, holder: string): Promise<boolean> {
  return (await ledger.read.selectFrom('webhooks').select('id').where('held_by', '=', holder).execute()).length > 0;
}
