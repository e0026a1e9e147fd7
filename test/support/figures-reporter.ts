// Says again at the end of a run what its suites have measured: each line of the form `NAME: figure, figure, …` that a test has printed.
import type { Reporter } from 'vitest/node';

const FIGURES = /^\w[\w ,%'()-]*: .*\d/;

// biome-ignore lint/style/noDefaultExport: the test runner looks for it there
export default class FiguresReporter implements Reporter {
  readonly #lines: string[] = [];

  onUserConsoleLog({ content }: { readonly content: string }): void {
    this.#lines.push(...content.split('\n').filter((line) => FIGURES.test(line)));
  }

  onTestRunEnd(): void {
    if (this.#lines.length > 0) console.log(`\nFigures\n${this.#lines.map((line) => `  ${line}`).join('\n')}\n`);
  }
}
