// What the examining thread answers.
import type { ErrorCode } from '#domain/error.ts';
import type { Examined, Submission } from './examine.ts';

export interface ExaminationRequest {
  readonly id: number;
  readonly submission: Submission;
}

export type ExaminationReply =
  | { readonly kind: 'examined'; readonly id: number; readonly examined: Examined }
  | {
      readonly kind: 'refused';
      readonly id: number;
      readonly code: ErrorCode;
      readonly message: string;
      readonly facts: Readonly<Record<string, unknown>>;
    };

const KINDS: ReadonlySet<unknown> = new Set<ExaminationReply['kind']>(['examined', 'refused']);

/** Both ends are this program: the kind says it all. */
export function isExaminationReply(message: unknown): message is ExaminationReply {
  return typeof message === 'object' && message !== null && 'kind' in message && KINDS.has(message.kind);
}
