// Official documents, broken in many ways: the same ones each time.
import { readFileSync } from 'node:fs';
import { UNKNOWN_PROFILE } from '#rules/outcomes.ts';
import { type Report, reportOn } from '#rules/report.ts';
import { conformanceFile } from './conformance.ts';
import { SLIPS } from './repairs.ts';

export interface BrokenDocument {
  /** As a file, in the order of the numbers. */
  readonly name: string;
  readonly bytes: Buffer;
  /** How it was broken. */
  readonly way: string;
}

type Way = readonly [way: string, make: (text: string, turn: number) => string | Buffer];

const LEAF = /<(cbc:\w+)[^<>]*>[^<]*<\/\1>/g;
const AMOUNT = /(?<=Amount currencyID="\w+">)[^<]+/g;

const WAYS: readonly Way[] = [
  ['as the officials broke it', (text) => text],
  ['an element is missing', (text, turn) => atOne(text, LEAF, turn, () => '')],
  ['an element stands there twice', (text, turn) => atOne(text, LEAF, turn, (leaf) => leaf + leaf)],
  ['an element is empty', (text, turn) => atOne(text, LEAF, turn, (leaf) => leaf.replace(/>[^<]*</, '><'))],
  ['an element that UBL does not have', (text, turn) => atOne(text, LEAF, turn, (leaf) => `${leaf}<cbc:Unheard>1</cbc:Unheard>`)],
  ['a code that is none', (text, turn) => atOne(text, /(?<=Code>|Code [^<>]*>)[^<]+/g, turn, () => 'QQQ')],
  ['a unit that is none', (text, turn) => atOne(text, /(?<=unitCode=")[^"]+/g, turn, () => 'bucket')],
  ['a scheme that is none', (text, turn) => atOne(text, /(?<=EndpointID schemeID=")[^"]+/g, turn, () => '0000')],
  ['a wrong sum', (text, turn) => atOne(text, AMOUNT, turn, (amount) => (Number(amount) + 1_000.17).toFixed(2))],
  ['an amount in words', (text, turn) => atOne(text, AMOUNT, turn, () => 'twelve')],
  ['a day that no calendar has', (text, turn) => atOne(text, /(?<=Date>)[\d-]+(?=<)/g, turn, () => '2026-02-30')],
  ['another namespace', (text) => text.replace(/(?<=:schema:xsd:\w+-)2(?=")/, '3')],
  ['an end that is missing', (text, turn) => text.slice(0, Math.floor((text.length * (turn % 97)) / 97))],
  ['a tag that is not closed', (text, turn) => atOne(text, /<\/cbc:\w+>/g, turn, () => '')],
  ['an entity of its own', (text) => text.replace(/(?=<(?!\?))/, '<!DOCTYPE x [<!ENTITY e "e">]>')],
  ['words before it', (text) => `Dear customer,\n${text}`],
  [
    'a byte that is no UTF-8',
    (text, turn) =>
      Buffer.from(
        atOne(text, LEAF, turn, (leaf) => leaf.replace('>', '>\u00ff')),
        'latin1',
      ),
  ],
  ...SLIPS,
];

/** So that each way meets all kinds of documents. */
const STRIDE = 37;
/** Others are not exchanged, whatever their rules say. */
const NOT_EXCHANGED = /<(?:\w+:)?ApplicationResponse\b/;

/** So many documents in which `dropgate validate` finds what a gateway refuses them for. Throws when there are not as many. */
export async function brokenDocuments(count: number, day: string): Promise<readonly BrokenDocument[]> {
  const index = readFileSync(conformanceFile('docs', 'index.jsonl'), 'utf8').trim().split('\n');
  const texts = index
    .map((line): { file: string } => JSON.parse(line))
    .map(({ file }) => readFileSync(conformanceFile(file), 'utf8'))
    .filter((text) => !NOT_EXCHANGED.test(text));
  const found: BrokenDocument[] = [];
  for (let turn = 0; found.length < count; turn++) {
    const [text, one] = [texts[(turn * STRIDE) % texts.length], WAYS[turn % WAYS.length]];
    if (turn > texts.length * WAYS.length || text === undefined || !one) throw new Error(`there are ${found.length} broken documents only`);
    const [way, make] = one;
    const bytes = Buffer.from(make(text, turn));
    if (isRefused(await reportOn(bytes, { day }))) found.push({ name: `broken-${String(found.length).padStart(5, '0')}.xml`, bytes, way });
  }
  return found;
}

/** A profile that has no rules is for the service to judge; and of more findings a receipt tells some. */
function isRefused({ state, findings }: Report): boolean {
  const fatal = findings.filter(({ severity, rule }) => severity === 'fatal' && rule !== UNKNOWN_PROFILE);
  const ofRules = Object.values(Object.groupBy(fatal, ({ rule }) => rule));
  return state !== 'valid' && fatal.length > 0 && ofRules.every((same = []) => same.length <= TOLD_OF_RULE_MAX);
}

const TOLD_OF_RULE_MAX = 20;

/** Changes one of the places. */
function atOne(text: string, place: RegExp, turn: number, make: (found: string) => string): string {
  const places = [...text.matchAll(place)];
  const { 0: found, index } = places[turn % places.length] ?? { 0: '', index: 0 };
  return text.slice(0, index) + make(found) + text.slice(index + found.length);
}
