// An answer to an order, given by moving the order's file: the names of folders and files, and the sentences where none is sent.
import { dayOf } from '#domain/day.ts';
import type { AppError } from '#domain/error.ts';
import { nameText } from './file-names.ts';
import { type ByteName, toByteName } from './intake.ts';
import type { Outcome } from './outcome.ts';
import { unreadable } from './receipt-sentences.ts';

/** The folder at the top of a home, and those in it. */
export const ANSWER_FOLDER = 'answer';
export const ORDER_ANSWERS = ['accept', 'reject', 'query'] as const;
export type OrderAnswer = (typeof ORDER_ANSWERS)[number];

/** Folders for reasons below an answer: those beyond are not looked into. */
export const REASONS_MAX = 100;

/** The end of a name that is the reason itself: `price too high.txt`. */
const REASON_ENDING = '.txt';
const REASON_CHARACTERS_MAX = 500;

/** Why, or the question: the folder in which the order lies below that of the answer, or its own name where that ends in `.txt`. */
export function reasonOf(folder: ByteName | undefined, name: ByteName): string {
  const own = nameText(name);
  const parts = [folder === undefined ? '' : nameText(folder), isReason(own) ? own.slice(0, -REASON_ENDING.length) : ''];
  return parts
    .filter((part) => part !== '')
    .join(': ')
    .toWellFormed()
    .slice(0, REASON_CHARACTERS_MAX);
}

/** The name under which the order is kept: as a reason it has been told, and is none for a decision after a question. */
export function answeredName(name: ByteName): ByteName {
  return isReason(name) ? `${name.slice(0, -REASON_ENDING.length)}.xml` : name;
}

function isReason(name: string): boolean {
  return name.toLowerCase().endsWith(REASON_ENDING);
}

/** The name under which the response is sent: that of the order's file, behind the answer. */
export function responseName(answer: OrderAnswer, name: ByteName): ByteName {
  return toByteName(`${answer}-${nameText(name).replace(/(?<=.)\.[^.]*$/, '')}.xml`);
}

/** It cannot be read as a document, or lacks what an order must have. */
export function unreadableOrder(error: AppError): Outcome {
  return {
    ...unreadable(error),
    message: `No response was sent: only an order can be answered, and this file cannot be read as one. ${error.message}`,
  };
}

/** Nobody has sent it to us: a response would go to whom it names, who may know nothing of it. */
export function notReceived(what: string): Outcome {
  return {
    stage: 'refused',
    code: 'order-not-received',
    action: 'fix',
    message: `No response was sent: ${what} is not an order as it was last received here. Move the file of the order as it lay in the outbox, with nothing changed in it.`,
  };
}

/** `why` is a sentence. */
export function notAnswerable(why: string): Outcome {
  return { stage: 'refused', code: 'order-not-answerable', action: 'none', message: `No response was sent: ${why}` };
}

/** An answer that was given. */
export interface GivenAnswer {
  readonly answer: OrderAnswer;
  readonly number: string;
  readonly givenAt: number;
}

export function answeredBefore(documentId: string, { answer, number, givenAt }: GivenAnswer): Outcome {
  return {
    stage: 'refused',
    code: 'order-answered',
    action: 'none',
    message: `No response was sent: order ${documentId} has its answer '${answer}' since ${dayOf(givenAt)}, by the response ${number}. To change that, send the buyer another response yourself.`,
  };
}

/** Whether this answer forbids that one: a question may be followed by a decision, and nothing follows a decision. */
export function forbids({ answer: given }: Pick<GivenAnswer, 'answer'>, answer: OrderAnswer): boolean {
  return given !== 'query' || answer === 'query';
}
