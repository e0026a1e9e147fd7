// Answers to orders that were received: each order has one decision at the most, and one question before it.
import type { GivenAnswer } from '#gateway/model/order-answer.ts';
import type { Rows } from './schema.ts';

interface ReceivedOrder {
  readonly accountRegNo: string;
  readonly contentSha256: string | null;
}

/** Orders of this number that were put into outboxes, each as it was last received. */
export async function readReceivedOrders(rows: Rows, documentId: string, sender: string): Promise<ReceivedOrder[]> {
  const found = await rows
    .selectFrom('documents')
    .select(['account_reg_no', 'content_sha256'])
    .where((e) => e.fn<string>('lower', ['document_id']), '=', documentId.toLowerCase())
    .where('document_id', '=', documentId)
    .where('sender', '=', sender)
    .where('family', '=', 'Order')
    .where('state', '=', 'published')
    .execute();
  return found.map((row) => ({ accountRegNo: row.account_reg_no, contentSha256: row.content_sha256 }));
}

/** An order of an account, told by its content. */
export interface OrderOf {
  readonly accountRegNo: string;
  readonly sha256: string;
}

export interface StoredAnswer extends GivenAnswer {
  /** By which the response is sent. */
  readonly item: string;
}

/** The oldest first. */
export async function readOrderAnswers(rows: Rows, { accountRegNo, sha256 }: OrderOf): Promise<StoredAnswer[]> {
  const found = await rows
    .selectFrom('order_answers')
    .selectAll()
    .where('account_reg_no', '=', accountRegNo)
    .where('order_sha256', '=', sha256)
    .orderBy('given_at')
    .execute();
  return found.map(({ answer, number, item, given_at: givenAt }) => ({ answer, number, item, givenAt }));
}

/** To all orders of an account, the oldest first. */
export async function readOrderAnswersOf(rows: Rows, accountRegNo: string): Promise<(StoredAnswer & { readonly orderSha256: string })[]> {
  return rows
    .selectFrom('order_answers')
    .select(['order_sha256 as orderSha256', 'answer', 'number', 'item', 'given_at as givenAt'])
    .where('account_reg_no', '=', accountRegNo)
    .orderBy('given_at')
    .execute();
}

/** In the commit of the response's item; once more where a crash had kept it out of that. */
export async function putOrderAnswer(
  rows: Rows,
  { accountRegNo, sha256 }: OrderOf,
  { answer, number, item, givenAt }: StoredAnswer,
): Promise<void> {
  await rows
    .insertInto('order_answers')
    .values({ account_reg_no: accountRegNo, order_sha256: sha256, answer, number, item, given_at: givenAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
