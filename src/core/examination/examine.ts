// Examining the body of a create request: read once, checked against the endpoint, judged by the rules of its profile.
import { AppError } from '#domain/error.ts';
import { judge } from '#rules/validate.ts';
import { readDocument } from '#ubl/document.ts';
import { headOfTree } from '#ubl/head.ts';
import { toldInJson } from '#ubl/json-words.ts';
import type { XmlElement } from '#ubl/tree.ts';
import type { DatedBody, Inspection } from './permit.ts';

/** Findings that a client gets; a document may break more rules. */
const DETAILS_MAX = 200;
const LIMITS = { findingsMax: DETAILS_MAX, findingsPerRuleMax: 20 };

/** Reads and judges. Throws `unreadable` when it is no document, `invalid` when it is JSON that is none. */
export async function inspect({ body, day }: DatedBody): Promise<Inspection> {
  const { root, notation } = readDocument(body);
  const { findings, ...inspected } = await inspectTree(root, day);
  return { notation, ...inspected, findings: notation === 'json' ? toldInJson(findings, body) : findings };
}

/** The same for a document that has been read. */
export async function inspectTree(root: XmlElement, day: string): Promise<Omit<Inspection, 'notation'>> {
  const read = headOrProblems(root);
  // A document in an envelope is judged when it is sent without the envelope.
  if (read.head?.enveloped) return { ...read, broken: true, findings: [] };
  const { broken, findings } = await judge(root, { day, limits: LIMITS });
  return { ...read, broken, findings };
}

/** The head, or the fields that it lacks, so that a client learns of all errors at once. */
function headOrProblems(root: XmlElement): Pick<Inspection, 'head' | 'problems'> {
  try {
    return { head: headOfTree(root), problems: [] };
  } catch (error) {
    const details = error instanceof AppError && error.code === 'invalid' ? error.facts.details : undefined;
    if (!Array.isArray(details)) throw error;
    return { head: null, problems: details };
  }
}
