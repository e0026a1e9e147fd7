// Every operation by its name, which is that of its command: what it does, whether it only looks, and where it is. An operation is loaded when
// it runs, so that a command which asks a running daemon loads none.
import type { Static } from 'typebox';
import { CLOSED_OPERATIONS, isClosed } from './closed-table.ts';
import { DOCUMENT_OPERATIONS } from './document-table.ts';
import type { RunBy } from './entry.ts';
import { PARTY_OPERATIONS } from './party-table.ts';
import { SERVICE_OPERATIONS } from './service-table.ts';

export const OPERATIONS = { ...DOCUMENT_OPERATIONS, ...PARTY_OPERATIONS, ...SERVICE_OPERATIONS, ...CLOSED_OPERATIONS } as const;

export type OperationName = keyof typeof OPERATIONS;
type Loaded<Name extends OperationName> = Awaited<ReturnType<(typeof OPERATIONS)[Name]['load']>>;
export type InputOf<Name extends OperationName> = Static<Loaded<Name>['input']>;
export type AnswerOf<Name extends OperationName> = Static<Loaded<Name>['answer']>;

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

/** What the operation of this name answers, by this table; that a daemon has the same table is its caller's to see to. */
export function isAnswerOf<Name extends OperationName>(_name: Name, answer: unknown): answer is AnswerOf<Name> {
  return answer !== undefined;
}

/** Who runs it: see `RunBy`. */
export function runByOf(name: OperationName): RunBy {
  return isClosed(name) ? CLOSED_OPERATIONS[name].runBy : 'daemon';
}

/** What it does, for people. */
export function sentenceOf(name: OperationName): string {
  const { does } = OPERATIONS[name];
  return runByOf(name) === 'asker alone' ? `${does}, while no daemon runs` : does;
}
