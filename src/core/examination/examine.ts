// Examining the body of a create request: read once, checked against the endpoint, judged by the rules of its profile.
import type { Notation } from '#contract/headers.ts';
import type { DocumentHead, Finding } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import type { FamilyName } from '#domain/family.ts';
import type { Validation } from '#domain/validation.ts';
import { judge, UNKNOWN_PROFILE } from '#rules/validate.ts';
import { readDocument } from '#ubl/document.ts';
import { headOfTree, type ReadHead } from '#ubl/head.ts';
import { located } from '#ubl/json-places.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** Plain data: it may be sent to another thread. */
export interface Studious {
  readonly body: Uint8Array;
  /** The day whose rules hold, `YYYY-MM-DD`. */
  readonly day: string;
}

/** What a document is, and what the rules say of it, whoever sends it as what. */
export interface Studied {
  readonly notation: Notation;
  /** Null when it lacks something. */
  readonly head: Omit<ReadHead, 'notation'> | null;
  /** What it lacks. */
  readonly problems: readonly Finding[];
  /** So broken that no account lets it pass. */
  readonly broken: boolean;
  readonly findings: readonly Finding[];
}

/** How a document is sent. */
export interface Sent {
  readonly family: FamilyName;
  readonly notation: Notation;
  readonly validation: Validation;
}

export interface Submission extends Studious, Sent {}

export interface Examined {
  readonly head: DocumentHead;
  /** Whatever was found that does not refuse the document. */
  readonly warnings: readonly Finding[];
}

/** Told to a client; a document may break more. */
const DETAILS_MAX = 200;
const LIMITS = { findingsMax: DETAILS_MAX, findingsPerRuleMax: 20 };

/** Throws what `refuseList`, `study` and `permit` throw. */
export function examine(submission: Submission): Examined {
  refuseList(submission);
  return permit(study(submission), submission);
}

/** Throws `bad-request` when the body is a list of messages. */
export function refuseList({ body, notation, family }: Submission): void {
  if (notation === 'json' && /^\s*\[/.test(Buffer.from(body.subarray(0, 1024)).toString('latin1'))) {
    throw new AppError('bad-request', `The body is a list: send one object { "${family}": { … } } per request.`);
  }
}

/** Reads and judges. Throws `unreadable` when it is no document, `invalid` when it is JSON that is none. */
export function study({ body, day }: Studious): Studied {
  const { root, notation } = readDocument(body);
  const read = headOrProblems(root);
  // What is in an envelope is judged when it is sent by itself.
  if (read.head?.enveloped) return { notation, ...read, broken: true, findings: [] };
  const { broken, findings } = judge(root, { day, limits: LIMITS });
  return { notation, ...read, broken, findings: notation === 'json' ? located(findings, body) : findings };
}

/** Throws `invalid` with `details: Finding[]` when it is no document of the family that it is sent as, or breaks rules that refuse it. */
export function permit(studied: Studied, { family, notation, validation }: Sent): Examined {
  const said = studied.notation;
  if (said !== notation) {
    throw refused([
      finding('content-type', `The Content-Type says ${SAID[notation]}, but the body is ${SAID[said]}: send ${MEDIA[said]}.`),
    ]);
  }
  const head = studied.head && ofFamily(studied.head, family);
  const findings = studied.broken ? studied.findings : studied.findings.map((one) => eased(one, validation));
  const all = [...studied.problems, ...findings.filter(({ severity }) => severity === 'fatal')];
  if (!head || all.length > 0) throw refused(all);
  return { head, warnings: findings };
}

const SAID: Readonly<Record<Notation, string>> = { json: 'JSON', xml: 'XML' };
const MEDIA: Readonly<Record<Notation, string>> = { json: 'application/json', xml: 'application/xml' };

/** The head, or what it lacks, so that everything that is wrong is told at once. */
function headOrProblems(root: XmlElement): Pick<Studied, 'head' | 'problems'> {
  try {
    return { head: headOfTree(root), problems: [] };
  } catch (error) {
    const details = error instanceof AppError && error.code === 'invalid' ? error.facts.details : undefined;
    if (!Array.isArray(details)) throw error;
    return { head: null, problems: details };
  }
}

function ofFamily({ enveloped, ...head }: Omit<ReadHead, 'notation'>, family: FamilyName): DocumentHead {
  if (enveloped) throw refused([finding('envelope', `The body is an SBDH envelope: send the ${head.family} in it by itself.`)]);
  if (head.family !== family) {
    const message = `The body is of the family ${head.family}, but this endpoint takes ${family}: send it to its own endpoint.`;
    throw refused([finding('family', message)]);
  }
  return head;
}

/** As grave as the account has it. */
function eased(found: Finding, { severity, profiles }: Validation): Finding {
  const passes = found.rule === UNKNOWN_PROFILE ? profiles === 'any' : severity === 'warn';
  return passes ? { ...found, severity: 'warning' } : found;
}

function finding(rule: string, message: string): Finding {
  return { rule, severity: 'fatal', message };
}

/** Told in the sentence itself; the rest stands in the details. */
const SENTENCES_MAX = 3;

function refused(details: readonly Finding[]): AppError {
  const told = details.slice(0, SENTENCES_MAX).map(({ message }) => message);
  const untold = details.length - told.length;
  if (untold > 0) told.push(`There ${untold === 1 ? 'is 1 more finding' : `are ${untold} more findings`}: see the details.`);
  return new AppError('invalid', told.join(' '), { facts: { details } });
}
