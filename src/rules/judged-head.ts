// The head of a document together with what the rules say of it, so that documents which are judged while they are read are not judged again.
import type { Finding } from '#domain/document.ts';
import type { ReadHead } from '#ubl/head.ts';
import { UNKNOWN_PROFILE } from './outcomes.ts';

/** What the rules of one day say of the bytes whose head it is. */
export interface Judgement {
  /** The day whose rules were asked, `YYYY-MM-DD`. */
  readonly day: string;
  /** Those that refuse the document before it is sent. */
  readonly refusing: readonly Finding[];
}

export interface JudgedHead extends ReadHead {
  /** Missing where the bytes were only read. */
  readonly judgement?: Judgement;
}

/** Whether a finding refuses a document before it is sent: a profile that we have no rules for is for the service to judge. */
export function isRefusedHere({ severity, rule }: Finding): boolean {
  return severity === 'fatal' && rule !== UNKNOWN_PROFILE;
}
