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
export interface Submission {
  readonly family: FamilyName;
  readonly notation: Notation;
  readonly body: Uint8Array;
  readonly validation: Validation;
  /** The day whose rules hold, `YYYY-MM-DD`. */
  readonly day: string;
}

export interface Examined {
  readonly head: DocumentHead;
  /** Whatever was found that does not refuse the document. */
  readonly warnings: readonly Finding[];
}

/** Told to a client; a document may break more. */
const DETAILS_MAX = 200;
const LIMITS = { findingsMax: DETAILS_MAX, findingsPerRuleMax: 20 };

/**
 * Throws `bad-request` when the body is a list of messages, `unreadable` when it is no document, `invalid` with `details: Finding[]` when
 * it is no document of the family or breaks rules that refuse it.
 */
export function examine({ family, notation, body, validation, day }: Submission): Examined {
  if (notation === 'json' && /^\s*\[/.test(Buffer.from(body.subarray(0, 1024)).toString('latin1'))) {
    throw new AppError('bad-request', `The body is a list: send one object { "${family}": { … } } per request.`);
  }
  const { root, notation: sent } = readDocument(body);
  if (sent !== notation) {
    throw refused([
      finding('content-type', `The Content-Type says ${SAID[notation]}, but the body is ${SAID[sent]}: send ${MEDIA[sent]}.`),
    ]);
  }
  const { head, problems } = headOrProblems(root, family);
  const verdict = judge(root, { day, limits: LIMITS });
  const found = notation === 'json' ? located(verdict.findings, body) : verdict.findings;
  const findings = verdict.broken ? found : found.map((one) => eased(one, validation));
  const all = [...problems, ...findings.filter(({ severity }) => severity === 'fatal')];
  if (!head || all.length > 0) throw refused(all);
  return { head, warnings: findings };
}

const SAID: Readonly<Record<Notation, string>> = { json: 'JSON', xml: 'XML' };
const MEDIA: Readonly<Record<Notation, string>> = { json: 'application/json', xml: 'application/xml' };

/** The head, or what it lacks, so that everything that is wrong is told at once. */
function headOrProblems(root: XmlElement, family: FamilyName): { head: DocumentHead | null; problems: readonly Finding[] } {
  let read: Omit<ReadHead, 'notation'>;
  try {
    read = headOfTree(root);
  } catch (error) {
    const details = error instanceof AppError && error.code === 'invalid' ? error.facts.details : undefined;
    if (!Array.isArray(details)) throw error;
    return { head: null, problems: details };
  }
  const { enveloped, ...head } = read;
  if (enveloped) throw refused([finding('envelope', `The body is an SBDH envelope: send the ${head.family} in it by itself.`)]);
  if (head.family !== family) {
    const message = `The body is of the family ${head.family}, but this endpoint takes ${family}: send it to its own endpoint.`;
    throw refused([finding('family', message)]);
  }
  return { head, problems: [] };
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
