// How our answers agree with the official ones on the documents of others that are kept because they once did not.
import { conformanceFile } from '../support/conformance.ts';
import { answerTo, type Case, casesOf } from './cases.ts';
import { type Score, score } from './score.ts';

/** Must only be asked where the official cases are. */
export function foreign(): Score {
  const cases = [...casesOf(conformanceFile('foreign', 'index.jsonl'))];
  return score(cases.map((one): [Case, ReturnType<typeof answerTo>] => [one, answerTo(one)]));
}

/** What comes behind `foreign:` in the id of a case. */
export function nameOf(id: string): string {
  return id.replace(/^foreign:/, '');
}
