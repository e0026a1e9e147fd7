// Everything that the core has of one account: to be handed to it, or to be erased.

import { pipelined } from '#engines/pipelined.ts';
import { deleteAccount } from './accounts.ts';
import { deleteKeys } from './keys.ts';
import { inList, type MessageList } from './message-lists.ts';
import type { MessageRow } from './messages.ts';
import { forgetMessages } from './retention.ts';
import type { Rows } from './schema.ts';
import { deleteWebhooksOf } from './webhooks.ts';

const PAGE = 50;

export async function countMessages(rows: Rows, accountRegNo: string): Promise<number> {
  const messages = rows.selectFrom('messages').where('account_reg_no', '=', accountRegNo);
  const { count } = await messages.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return Number(count);
}

/** Messages that are still owed to the network. */
export async function countOwed(rows: Rows, accountRegNo: string): Promise<number> {
  const { count } = await rows
    .selectFrom('transmissions')
    .innerJoin('messages', 'messages.sequence', 'transmissions.sequence')
    .where('transmissions.next_attempt_at', 'is not', null)
    .where('messages.account_reg_no', '=', accountRegNo)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Some messages of a list, in the order of creation. */
export function selectMessagesAfter(rows: Rows, list: MessageList, position: number): Promise<MessageRow[]> {
  return inList(rows, list).selectAll().where('position', '>', position).orderBy('position').limit(PAGE).execute();
}

/** All that stands about a message: its versions with their bytes, its log, the network's responses, and its ways into the network. */
export async function selectAllOf(rows: Rows, { sequence }: Pick<MessageRow, 'sequence'>) {
  const [contents, log, responses, transmissions] = await pipelined(
    rows
      .selectFrom('message_contents')
      .select(['version', 'notation', 'sha256', 'bytes'])
      .where('sequence', '=', sequence)
      .orderBy('version')
      .execute(),
    rows
      .selectFrom('message_log')
      .select(['version', 'at', 'event', 'status', 'reason'])
      .where('sequence', '=', sequence)
      .orderBy('entry')
      .execute(),
    rows
      .selectFrom('responses')
      .select(['kind', 'code', 'reason', 'findings', 'received_at', 'document'])
      .where('sequence', '=', sequence)
      .execute(),
    rows
      .selectFrom('transmissions')
      .select([
        'instance_id as instanceId',
        'version',
        'state',
        'attempts',
        'access_point_id as accessPointId',
        'last_reason as reason',
        'created_at as createdAt',
        'handed_at as handedAt',
        'posted_at as postedAt',
        'next_attempt_at as nextAttemptAt',
      ])
      .where('sequence', '=', sequence)
      .orderBy('version')
      .orderBy('created_at')
      .execute(),
  );
  return { contents, log, responses, transmissions };
}

/** Answers to requests with a key of the account's own, which are given again: some of those behind this key. */
export function selectRequestsAfter(rows: Rows, accountRegNo: string, key: string) {
  return rows
    .selectFrom('idempotency_keys')
    .select(['key', 'path', 'started_at as startedAt', 'integration_id as integrationId', 'response'])
    .where('account_reg_no', '=', accountRegNo)
    .where('key', '>', key)
    .orderBy('key')
    .limit(PAGE)
    .execute();
}

/** Deletes some of its messages, whatever their state; their numbers stay taken. Returns how many. */
export async function eraseMessages(rows: Rows, accountRegNo: string): Promise<number> {
  const oldest = rows.selectFrom('messages').select('sequence').where('account_reg_no', '=', accountRegNo);
  const found = await oldest.orderBy('direction').orderBy('family').orderBy('position').limit(PAGE).execute();
  if (found.length > 0)
    await forgetMessages(
      rows,
      found.map(({ sequence }) => sequence),
    );
  return found.length;
}

/** Tables that name the account in each row. */
export const OF_ACCOUNT = ['enrichments', 'turned_away', 'idempotency_keys'] as const;
/** And those that name its participants. */
export const OF_PARTICIPANT = ['watched', 'differences'] as const;

/** Deletes the rest, the account itself at last. */
export async function eraseAccount(rows: Rows, accountRegNo: string): Promise<void> {
  const participants = rows.selectFrom('participants').select('participant').where('account_reg_no', '=', accountRegNo);
  for (const table of OF_PARTICIPANT) await rows.deleteFrom(table).where('participant', 'in', participants).execute();
  for (const table of OF_ACCOUNT) await rows.deleteFrom(table).where('account_reg_no', '=', accountRegNo).execute();
  await deleteWebhooksOf(rows, accountRegNo);
  await deleteKeys(rows, { accountRegNo });
  await deleteAccount(rows, accountRegNo);
}
