// What becomes of a document that has been inspected: whether the account, the endpoint and the headers let it pass. No rule is loaded for that.
import { MEDIA_TYPE, type Notation } from '#contract/headers.ts';
import { type DocumentHead, type Finding, fatal, refusedFor } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import type { FamilyName } from '#domain/family.ts';
import type { Validation } from '#domain/validation.ts';
import { UNKNOWN_PROFILE } from '#rules/outcomes.ts';
import type { ReadHead } from '#ubl/head.ts';

/** Plain data: it may be sent to another thread. */
export interface DatedBody {
  readonly body: Uint8Array;
  /** The day whose rules hold, `YYYY-MM-DD`. */
  readonly day: string;
}

/** The head of a document and the findings of the rules, however it is sent. */
export interface Inspection {
  readonly notation: Notation;
  /** Null when a field is missing. */
  readonly head: Omit<ReadHead, 'notation'> | null;
  /** The fields that are missing. */
  readonly problems: readonly Finding[];
  /** Broken so badly that no account's settings let it pass. */
  readonly broken: boolean;
  readonly findings: readonly Finding[];
}

/** How the client sends the document. */
interface Sent {
  readonly family: FamilyName;
  readonly notation: Notation;
  readonly validation: Validation;
}

export interface Submission extends DatedBody, Sent {}

export interface Examined {
  readonly head: DocumentHead;
  /** Findings that do not refuse the document. */
  readonly warnings: readonly Finding[];
}

/** Throws `bad-request` when the body is a list of messages. */
export function refuseList({ body, notation, family }: Submission): void {
  if (notation === 'json' && /^\s*\[/.test(Buffer.from(body.subarray(0, 1024)).toString('latin1'))) {
    throw new AppError('bad-request', `The body is a list: send one object { "${family}": { … } } per request.`);
  }
}

/** Throws `invalid` with `details: Finding[]` when the document is of another family than the request says, or breaks rules that refuse it. */
export function permit(inspection: Inspection, { family, notation, validation }: Sent): Examined {
  const actual = inspection.notation;
  if (actual !== notation) {
    const message = `The Content-Type says ${NOTATION_NAME[notation]}, but the body is ${NOTATION_NAME[actual]}: send ${MEDIA_TYPE[actual]}.`;
    throw refused([fatal('content-type', message)]);
  }
  const head = inspection.head && ofFamily(inspection.head, family);
  const findings = inspection.broken ? inspection.findings : inspection.findings.map((one) => withSeverityOf(one, validation));
  const all = [...inspection.problems, ...findings.filter(({ severity }) => severity === 'fatal')];
  if (!head || all.length > 0) throw refused(all);
  return { head, warnings: findings };
}

const NOTATION_NAME: Readonly<Record<Notation, string>> = { json: 'JSON', xml: 'XML' };

function ofFamily({ enveloped, names: _, ...head }: Omit<ReadHead, 'notation'>, family: FamilyName): DocumentHead {
  if (enveloped) throw refused([fatal('envelope', `The body is an SBDH envelope: send the ${head.family} in it by itself.`)]);
  if (head.family !== family) {
    const message = `The body is of the family ${head.family}, but this endpoint takes ${family}: send it to its own endpoint.`;
    throw refused([fatal('family', message)]);
  }
  return head;
}

/** With the severity that the account's settings give it. */
function withSeverityOf(found: Finding, { severity, profiles }: Validation): Finding {
  const passes = found.rule === UNKNOWN_PROFILE ? profiles === 'any' : severity === 'warn';
  return passes ? { ...found, severity: 'warning' } : found;
}

/** Findings that stand in the sentence itself; the rest is in the details. */
const SENTENCES_MAX = 3;

function refused(details: readonly Finding[]): AppError {
  const sentences = details.slice(0, SENTENCES_MAX).map(({ message }) => message);
  const more = details.length - sentences.length;
  if (more > 0) sentences.push(`There ${more === 1 ? 'is 1 more finding' : `are ${more} more findings`}: see the details.`);
  return refusedFor(details, sentences.join(' '));
}
