// Reading and judging documents on one core: reading, structure and rules, each apart and together, beside xmllint parsing the same bytes.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Judge } from '#rules/engine/engine.ts';
import { judgeBy } from '#rules/rule-sets.ts';
import { profileOf } from '#rules/stated-profile.ts';
import { structureOf } from '#rules/structure.ts';
import { validate } from '#rules/validate.ts';
import { readTree } from '#ubl/read.ts';
import { documentOf } from '../support/documents.ts';
import { median, percentile } from './figures.ts';
import type { BenchOptions } from './options.ts';

const DAY = '2026-06-01';
/** Each figure is taken from about this much work. */
const WORK_MS = 1_500;
const WORK_MS_SHORT = 50;
const ROUNDS_MIN = 5;

const SUBJECTS = [
  ['invoice, 10 lines', () => documentOf('Invoice', { lines: 10 })],
  ['invoice, 100 lines', () => documentOf('Invoice', { lines: 100 })],
  ['invoice, 1,000 lines', () => documentOf('Invoice', { lines: 1_000 })],
  ['order, 10 lines', () => documentOf('Order', { lines: 10 })],
  ['catalogue, 5,000 lines', () => documentOf('Catalogue', { lines: 5_000 })],
] as const;

export async function benchRules({ short, print }: BenchOptions): Promise<void> {
  const workMs = short ? WORK_MS_SHORT : WORK_MS;
  print('  milliseconds a document, median / p99; all rules of its profile on, engine warm\n');
  print(row('', 'KB', 'read', 'structure', 'rules', 'together', 'a second', 'xmllint', 'ratio'));
  for (const [name, make] of SUBJECTS) print(await rowOf(name, make(), workMs));
  print(`\n  The ratio is xmllint's time for parsing alone to ours for everything. Linear growth in lines: compare 10, 100 and 1,000.`);
  print(`  Peak memory of this process: ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);
}

async function rowOf(name: string, bytes: Uint8Array, workMs: number): Promise<string> {
  const root = readTree(bytes);
  const profile = profileOf(root);
  const { valid, findings } = await validate(bytes, { day: DAY });
  if (!valid || !profile) throw new Error(`the ${name} is not valid: ${JSON.stringify(findings[0])}`);
  const judge = await judgeBy(profile.ruleSets, DAY);
  const together = await times(() => validate(bytes, { day: DAY }), workMs);
  const floor = xmllintMs(bytes);
  return row(
    name,
    (bytes.length / 1000).toFixed(0),
    shown(await times(() => readTree(bytes), workMs)),
    shown(await times(() => structureOf(root, profile.ubl), workMs)),
    // A document is judged once: what is worked out for it is worked out each time.
    shown(rulesAlone(bytes, judge, workMs)),
    shown(together),
    (1000 / median(together)).toFixed(0),
    floor === null ? '-' : floor.toFixed(2),
    floor === null ? '-' : (floor / median(together)).toFixed(2),
  );
}

function rulesAlone(bytes: Uint8Array, judge: Judge, workMs: number): number[] {
  const found: number[] = [];
  let spentMs = 0;
  while (found.length < ROUNDS_MIN || spentMs < workMs) {
    const root = readTree(bytes);
    const began = performance.now();
    judge(root);
    const tookMs = performance.now() - began;
    found.push(tookMs);
    spentMs += tookMs;
  }
  return found;
}

/** How long each call took, in milliseconds, after as many to warm up. */
async function times(call: () => unknown, workMs: number): Promise<number[]> {
  for (let began = performance.now(); performance.now() - began < workMs / 2; ) await call();
  const found: number[] = [];
  const end = performance.now() + workMs;
  while (found.length < ROUNDS_MIN || performance.now() < end) {
    const began = performance.now();
    await call();
    found.push(performance.now() - began);
  }
  return found;
}

/** What xmllint itself says that parsing from memory takes, of a hundred in a row; null where it is not installed. */
function xmllintMs(bytes: Uint8Array): number | null {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-bench-'));
  try {
    const file = join(folder, 'document.xml');
    writeFileSync(file, bytes);
    const { stderr, error } = spawnSync('xmllint', ['--noout', '--repeat', '--memory', '--timing', file], { encoding: 'utf8' });
    const took = error ? undefined : /100 iterations took (\d+) ms/.exec(stderr)?.[1];
    return took === undefined ? null : Number(took) / 100;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function shown(found: readonly number[]): string {
  return `${figure(median(found))} / ${figure(percentile(found, 99))}`;
}

function figure(ms: number): string {
  return ms < 10 ? ms.toFixed(2) : ms.toFixed(1);
}

function row(name: string, ...cells: string[]): string {
  return `  ${name.padEnd(22)}${cells.map((cell, at) => cell.padStart(at === 0 ? 6 : 15)).join('')}`;
}
