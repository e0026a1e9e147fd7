// Official documents that break rules, between our usual seller and buyer, each with the rules that its authors say it breaks.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { casesOf } from '../conformance/cases.ts';
import { BUYER, SELLER } from '../support/documents.ts';

const INDEX = resolve(import.meta.dirname, '../../../shared/conformance/docs/index.jsonl');

export interface Broken {
  readonly id: string;
  readonly document: Uint8Array;
  /** Fatal ones. */
  readonly rules: readonly string[];
}

export const haveBroken = existsSync(INDEX);

/** Invoices and credit notes of Peppol BIS Billing 3.0 whose structure is right: first one of each set of rules, then more of the same. */
export function brokenDocuments(count: number): Broken[] {
  const [first, more]: [Broken[], Broken[]] = [[], []];
  const seen = new Set<string>();
  for (const { row, bytes } of casesOf(INDEX)) {
    const text = Buffer.from(bytes).toString('utf8');
    const isMeant = row.expect === 'fail' && row.xsdValid === true && /<(\w+:)?(Invoice|CreditNote)[ >]/.test(text);
    if (!isMeant || !text.includes(BILLING) || !text.includes(PROCESS)) continue;
    const rules = fatalOf(row.fired).filter((rule) => !ADDRESSES.test(rule));
    const id = `BROKEN-${first.length + more.length}`;
    const document = readdressed(text, id);
    if (rules.length === 0 || document === undefined) continue;
    (seen.has(rules.join()) ? more : first).push({ id, document, rules });
    seen.add(rules.join());
  }
  return [...first, ...more].slice(0, count);
}

const BILLING = 'CustomizationID>urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0<';
const PROCESS = 'ProfileID>urn:fdc:peppol.eu:2017:poacc:billing:01:1.0<';
/** Of electronic addresses, which are ours here. */
const ADDRESSES = /^(BR-62|BR-63|PEPPOL-EN16931-R0[12]0|PEPPOL-EN16931-CL008|PEPPOL-COMMON-R0|BR-CL-25|BR-0?2$)/;

function fatalOf(fired: unknown): string[] {
  if (!Array.isArray(fired)) return [];
  return fired.flatMap((each) => (each.flag === 'fatal' ? [String(each.id)] : []));
}

/** With our addresses and a number of its own; undefined when it has no place for them. */
function readdressed(text: string, id: string): Uint8Array | undefined {
  const addresses = [SELLER, BUYER].map((each) => each.split(':'));
  let at = 0;
  const found = text.replace(/<(\w+:)?EndpointID[^>]*>[^<]*</g, (_, prefix = '') => {
    const [scheme, value] = addresses[at++] ?? [];
    return `<${prefix}EndpointID schemeID="${scheme}">${value}<`;
  });
  if (at !== 2 || !/<(\w+:)?ID>[^<]*</.test(found)) return undefined;
  return Buffer.from(found.replace(/<(\w+:)?ID>[^<]*</, (_, prefix = '') => `<${prefix}ID>${id}<`));
}
