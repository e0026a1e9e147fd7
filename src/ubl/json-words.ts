// Findings for those who sent JSON: the rules speak of XML, and each sentence is put into the words of JSON here.
import type { Finding } from '#domain/document.ts';
import { located } from './json-places.ts';

/** The findings on a document in JSON: by its keys, and with the places in its text. */
export function toldInJson(findings: readonly Finding[], bytes: Uint8Array): readonly Finding[] {
  return located(findings, bytes).map((finding) => ({ ...finding, message: inJson(finding.message) }));
}

/** A tag with its prefix, but none at the beginning of what the document itself says, which is quoted. */
const PREFIX = String.raw`(?<![\w:'])(?:cac|cbc|ext):`;
const ATTRIBUTE = String.raw`\b(\w*(?:ID|Code|URI)|name|filename)="([^"]*)"`;

/** What is written otherwise in JSON, and how. */
const WORDS: readonly (readonly [inXml: RegExp, inJson: string])[] = [
  // The members of an object have no order.
  [/: add it (?:before \S+|at its end)\.$/, ': add it.'],
  [new RegExp(String.raw`(${PREFIX}\w+) ${ATTRIBUTE}`, 'g'), '$1: { "_": …, "$2": "$3" }'],
  [new RegExp(ATTRIBUTE, 'g'), '"$1": "$2"'],
  [new RegExp(`${PREFIX}(?=\\w)`, 'g'), ''],
];

function inJson(message: string): string {
  return WORDS.reduce((told, [inXml, instead]) => told.replace(inXml, instead), message);
}
