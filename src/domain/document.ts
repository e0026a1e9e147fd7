// The head of a document: what a gateway or a core needs to know of it before any rule is judged.
import { AppError } from './error.ts';
import type { FamilyName } from './family.ts';

export interface DocumentHead {
  readonly family: FamilyName;
  /** The document's own identifier, `cbc:ID`, trimmed. */
  readonly documentId: string;
  /** Participants, in normal form. */
  readonly sender: string;
  readonly receiver: string;
  readonly customizationId: string | null;
  readonly profileId: string | null;
  /** `cbc:IssueDate` when it is a date. */
  readonly issueDate: string | null;
}

/** What could be read of the head of a document that is refused: each null where it could not. */
export interface SeenHead {
  readonly family: FamilyName;
  readonly documentId: string | null;
  readonly sender: string | null;
  readonly receiver: string | null;
}

/** One thing that is wrong with a document: the rule, how grave, the sentence, and where. */
export interface Finding {
  readonly rule: string;
  readonly severity: 'fatal' | 'warning';
  /** Says what is wrong and what to do. */
  readonly message: string;
  /** Where, for a person with the XML: `/Invoice/cac:InvoiceLine[2]/cbc:ID`. */
  readonly path?: string;
  /** Where, as a JSON pointer into the model shape: `/Invoice/InvoiceLine/1/ID`. */
  readonly pointer?: string;
  /** Where in the bytes that were read, from 1. */
  readonly line?: number;
  readonly column?: number;
  /** What stands there, when it is a value. */
  readonly value?: string;
}

/** A finding that refuses a document. */
export function fatal(rule: string, message: string, pointer?: string): Finding {
  return { rule, severity: 'fatal', message, ...(pointer !== undefined && { pointer }) };
}

/** That a document is refused for these findings, in a sentence made of theirs unless told otherwise. */
export function refusedFor(details: readonly Finding[], sentence = details.map(({ message }) => message).join(' ')): AppError {
  return new AppError('invalid', sentence, { facts: { details } });
}

/** As many as a receipt or an answer carries. */
const FINDINGS_MAX = 1000;

/** The findings in a list that came from elsewhere; whatever is no finding is passed over. */
export function findingsIn(value: unknown): Finding[] {
  return Array.isArray(value) ? value.slice(0, FINDINGS_MAX).flatMap((one) => findingIn(one) ?? []) : [];
}

function findingIn(value: unknown): Finding | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { rule, severity, message, ...where }: { readonly [key: string]: unknown } = { ...value };
  if (typeof rule !== 'string' || (severity !== 'fatal' && severity !== 'warning') || typeof message !== 'string') return undefined;
  const { path, pointer, line, column, value: stands } = where;
  return {
    rule,
    severity,
    message,
    ...(typeof path === 'string' && { path }),
    ...(typeof pointer === 'string' && { pointer }),
    ...(typeof line === 'number' && { line }),
    ...(typeof column === 'number' && { column }),
    ...(typeof stands === 'string' && { value: stands }),
  };
}
