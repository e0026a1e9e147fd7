// By what a response to an order is told from every other: made of the move and of the order, so that it is the same whenever it is made.
import { hash } from 'node:crypto';
import { base32 } from '#domain/id.ts';
import type { OrderAnswer } from '#gateway/model/order-answer.ts';

/** The response's item, by that of the move: the same whenever the move is looked at again. */
export function responseItem(move: string): string {
  const time = move.slice(0, 10);
  return time + base32(hash('sha256', move, 'buffer')).slice(0, move.length - time.length);
}

export interface AnsweredOrder {
  readonly documentId: string;
  readonly sender: string;
  readonly receiver: string;
  /** Of its content. */
  readonly sha256: string;
}

const NUMBER_START_MAX = 40;
const NUMBER_END = 8;

/** The number of the response: that of the order, and letters that tell orders of one number, and answers to one order, apart. */
export function responseNumber(order: AnsweredOrder, answer: OrderAnswer): string {
  const { documentId, sender, receiver, sha256 } = order;
  const letters = base32(hash('sha256', [sender, receiver, documentId, sha256, answer].join('\n'), 'buffer'));
  return `${documentId.slice(0, NUMBER_START_MAX).toWellFormed()}-${letters.slice(0, NUMBER_END)}`;
}
