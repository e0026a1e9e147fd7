// Says again at the end of a run what was left out, and how to get it; and writes down what came of it, for the end of continuous
// integration: how many tests passed, what failed, where and why, and which files have tests that were left out, with how many of each passed.
// DROPGATE_TEST_SUMMARY names the file.
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** As `needed` says it. */
const LEFT_OUT = /^\*{3} .* SKIPPED/;

/** Of what a failure says. */
const LINES_MAX = 30;

interface Failure {
  readonly where: string;
  readonly why: string;
}

// biome-ignore lint/style/noDefaultExport: the test runner looks for it there
export default class SummaryReporter implements Reporter {
  readonly #leftOut = new Set<string>();

  onUserConsoleLog({ content }: { readonly content: string }): void {
    for (const line of content.split('\n')) if (LEFT_OUT.test(line)) this.#leftOut.add(line);
  }

  onTestRunEnd(modules: readonly TestModule[], outside: readonly SerializedError[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const summary = {
      passed: tests.filter(isPassed).length,
      skippedIn: Object.fromEntries(modules.filter(hasSkipped).map((module) => [module.relativeModuleId, passedIn(module)])),
      failures: [
        ...tests.flatMap(failureOf),
        ...modules.flatMap(failuresAround),
        ...outside.map((error) => told('outside of any test', [error])),
      ],
    };
    const skipped = tests.filter(isSkipped).length;
    if (skipped > 0) console.log(`\n${[`${skipped} tests were SKIPPED`, ...[...this.#leftOut].sort()].join('\n')}\n`);
    const file = process.env.DROPGATE_TEST_SUMMARY;
    if (file !== undefined) writeFileSync(file, JSON.stringify(summary));
  }
}

const isPassed = (test: TestCase): boolean => test.result().state === 'passed';
const isSkipped = (test: TestCase): boolean => test.result().state === 'skipped';
const hasSkipped = ({ children }: TestModule): boolean => [...children.allTests()].some(isSkipped);
const passedIn = ({ children }: TestModule): number => [...children.allTests()].filter(isPassed).length;

function failureOf(test: TestCase): Failure[] {
  const { state, errors } = test.result();
  return state === 'failed' ? [told(`${test.module.relativeModuleId} > ${test.fullName}`, errors)] : [];
}

/** What failed before the first test of a file or after its last: an import, a hook. */
function failuresAround(module: TestModule): Failure[] {
  const around = [
    { where: module.relativeModuleId, errors: module.errors() },
    ...[...module.children.allSuites()].map((suite) => ({
      where: `${module.relativeModuleId} > ${suite.fullName}`,
      errors: suite.errors(),
    })),
  ];
  return around.flatMap(({ where, errors }) => (errors.length > 0 ? [told(`${where}, around its tests`, errors)] : []));
}

function told(where: string, errors: readonly SerializedError[] = []): Failure {
  const why = errors.map(({ message, diff, stacks: [place] = [] }) =>
    [message, ...(place ? [`at ${place.file}:${place.line}`] : []), stripVTControlCharacters(typeof diff === 'string' ? diff : '')]
      .join('\n')
      .trim(),
  );
  return { where, why: why.join('\n').split('\n').slice(0, LINES_MAX).join('\n') };
}
