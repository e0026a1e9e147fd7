// `npm run coverage:spec [-- RESULTS.json]`: which statements of the specification have a passing test. The titles of tests carry their
// numbers (S055). Runs the suites, or reads what Vitest's JSON reporter wrote before.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { UNTESTED } from './spec-untested.ts';

/** The parts of the specification that the core answers for; 'documents' are what it judges. */
const PARTS = ['core', 'service', 'world', 'documents'];
const PROJECTS = ['unit', 'flow', 'api'];
const SENTENCES = resolve(import.meta.dirname, '../../shared/spec/sentences.tsv');

const Results = Type.Object({
  testResults: Type.Array(Type.Object({ assertionResults: Type.Array(Type.Object({ fullName: Type.String(), status: Type.String() })) })),
});

interface Sentence {
  readonly number: string;
  readonly section: string;
  readonly statement: string;
  readonly part: string;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (existsSync(SENTENCES)) process.exitCode = report(readSentences(), statusesByNumber(process.argv[2] ?? runSuites()));
else {
  print(`\n*** NOT MEASURED: ${SENTENCES} is not there. ***`);
  print('*** The numbered statements of the specification are kept beside this repository; without them nothing is proved. ***\n');
  process.exitCode = 2;
}

/** Returns the exit status. */
function report(sentences: readonly Sentence[], statuses: ReadonlyMap<string, readonly string[]>): number {
  const isTested = ({ number }: Sentence): boolean => statuses.get(number)?.every((status) => status === 'passed') ?? false;
  const without: Sentence[] = [];
  for (const part of PARTS) {
    const ofPart = sentences.filter((sentence) => sentence.part === part);
    const untested = ofPart.filter((sentence) => !isTested(sentence));
    print(`${part}: ${ofPart.length - untested.length} of ${ofPart.length} statements have a passing test`);
    without.push(...untested);
  }
  const problems = without.filter(({ number }) => UNTESTED[number] === undefined || statuses.has(number));
  for (const sentence of without) {
    const failed = statuses.get(sentence.number)?.filter((status) => status !== 'passed');
    print(`\n  ${sentence.number} ${sentence.section}: ${sentence.statement}`);
    print(`       ${failed ? `a test is ${failed.join(', ')}` : (UNTESTED[sentence.number] ?? 'NO TEST, AND NO REASON')}`);
  }
  const known = new Set(sentences.map(({ number }) => number));
  const unknown = [...statuses.keys()].filter((number) => !known.has(number));
  if (unknown.length > 0) print(`\nTitles carry numbers that the specification does not have: ${unknown.join(', ')}`);
  const needless = Object.keys(UNTESTED).filter((number) => statuses.has(number));
  if (needless.length > 0) print(`\nExplained, but tested: ${needless.join(', ')}`);
  return problems.length + unknown.length + needless.length > 0 ? 1 : 0;
}

function readSentences(): Sentence[] {
  const [, ...lines] = readFileSync(SENTENCES, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [number = '', section = '', statement = '', part = ''] = line.split('\t');
    return { number, section, statement, part };
  });
}

/** By number, the statuses of the tests whose titles carry it; skipped ones decide nothing. */
function statusesByNumber(results: string): Map<string, string[]> {
  const { testResults } = Parse(Results, JSON.parse(readFileSync(results, 'utf8')));
  const statuses = new Map<string, string[]>();
  for (const { fullName, status } of testResults.flatMap(({ assertionResults }) => assertionResults)) {
    if (status === 'pending' || status === 'skipped' || status === 'todo') continue;
    for (const [number] of fullName.matchAll(/\bS\d{3}\b/g)) statuses.set(number, [...(statuses.get(number) ?? []), status]);
  }
  return statuses;
}

function runSuites(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-coverage-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  const results = join(folder, 'results.json');
  const projects = PROJECTS.flatMap((name) => ['--project', name]);
  spawnSync('vitest', ['run', ...projects, '--reporter=json', `--outputFile=${results}`], { stdio: 'inherit' });
  return results;
}
