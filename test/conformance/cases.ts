// The official cases: index files, the documents that they name, and our answers to them.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '#domain/error.ts';
import { judgeOf } from '#rules/rule-sets.ts';
import { profileOf } from '#rules/stated-profile.ts';
import { structureOf } from '#rules/structure.ts';
import { readTree } from '#ubl/read.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { RULE_SETS } from '../support/rule-sets.ts';

export interface Case {
  readonly id: string;
  readonly family: string;
  readonly ruleSets: readonly string[];
  readonly ubl: '2.1' | '2.3' | undefined;
  readonly bytes: Uint8Array;
  /** The row itself, for what a judge wants to know of it. */
  readonly row: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly id: string;
  readonly structure: boolean;
  readonly fired: readonly { readonly id: string; readonly severity: string }[];
}

/** `file` of a row is relative to the folder above its index file's. */
export function* casesOf(index: string): Generator<Case> {
  const folder = dirname(dirname(index));
  for (const line of readFileSync(index, 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    const row: unknown = JSON.parse(line);
    if (!isRow(row)) throw new Error(`not a case: ${line.slice(0, 200)}`);
    const { id, family, ruleset, rulesets, xsd, file } = row;
    const ruleSets = Array.isArray(rulesets) ? rulesets.map(String) : [String(ruleset)];
    const ubl = xsd === 'UBL-2.3' ? '2.3' : xsd === 'UBL-2.1' ? '2.1' : undefined;
    yield { id: String(id), family: String(family), ruleSets, ubl, bytes: readFileSync(join(folder, String(file))), row };
  }
}

export function* answersTo(cases: Iterable<Case>): Generator<Answer> {
  for (const one of cases) yield answerTo(one);
}

/** Which release holds does not matter while there is one of each. */
const DAY = '2026-06-01';
const EVERYTHING = { findingsMax: 100_000, findingsPerRuleMax: 1 };

/** Rules are asked whatever the structure says. */
export function answerTo({ id, ruleSets, ubl, bytes }: Case): Answer {
  const root = readOrNull(bytes);
  if (!root) return { id, structure: false, fired: [] };
  const { findings } = judgeOf(editions(ruleSets), DAY, RULE_SETS)(root, EVERYTHING);
  const fired = new Map(findings.map(({ rule, severity }) => [`${rule} ${severity}`, { id: rule, severity }]));
  return { id, structure: structureOf(root, ubl ?? profileOf(root)?.ubl ?? '2.1').length === 0, fired: [...fired.values()] };
}

/** An index names the base of PINT by itself; each jurisdiction has its own edition of it. */
function editions(names: readonly string[]): readonly string[] {
  const jurisdiction = names.find((name) => name.endsWith('/jur'))?.replace('/jur', '');
  return names.map((name) => (name === 'pint' && jurisdiction !== undefined ? `${jurisdiction}/base` : name));
}

function readOrNull(bytes: Uint8Array): XmlElement | null {
  try {
    return readTree(bytes);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && 'id' in value && 'file' in value;
}
