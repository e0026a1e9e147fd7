// What the thread of close reading is asked, and what it answers.
import type { Finding } from '#domain/document.ts';
import type { ErrorCode } from '#domain/error.ts';

/** Each task by its name: what is asked, and what comes of it. */
export interface StudyTasks {
  /** The fatal findings of the rules, on a day (`YYYY-MM-DD`). */
  judge: { readonly asked: { readonly bytes: Uint8Array; readonly day: string }; readonly found: readonly Finding[] };
  /** Whether theirs is ours with additions. */
  contains: { readonly asked: { readonly ours: Uint8Array; readonly theirs: Uint8Array }; readonly found: boolean };
  unwrap: { readonly asked: { readonly bytes: Uint8Array }; readonly found: Unwrapped };
}

/** A document out of its envelope, and the participants that the header names. */
export interface Unwrapped {
  readonly document: Uint8Array;
  readonly sender: string | undefined;
  readonly receiver: string | undefined;
}

export type StudyName = keyof StudyTasks;

/** A task and what it is asked. */
export type StudyRequest = {
  [Name in StudyName]: { readonly id: number; readonly name: Name; readonly asked: StudyTasks[Name]['asked'] };
}[StudyName];

export type StudyReply =
  | { readonly kind: 'found'; readonly id: number; readonly found: StudyTasks[StudyName]['found'] }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly code: ErrorCode;
      readonly sentence: string;
      readonly facts: Readonly<Record<string, unknown>>;
    };

const KINDS: ReadonlySet<unknown> = new Set<StudyReply['kind']>(['found', 'failed']);

/** Both ends are this program: the kind says it all. */
export function isStudyReply(message: unknown): message is StudyReply {
  return typeof message === 'object' && message !== null && 'kind' in message && KINDS.has(message.kind);
}
