// Says again at the end of a run what its suites have measured: each line of the form `NAME: figure, figure, …` that a test has printed.
// With DROPGATE_RECORD=1 a table in docs/faults.md has them in place of earlier lines of the same names: of short runs, of whole ones, or of those on PostgreSQL.
import type { Reporter } from 'vitest/node';
import { isWhole } from './amounts.ts';
import { isOnPostgres } from './engine.ts';
import { recordedIn } from './recorded.ts';

const FIGURES = /^(\w[\w ,%'()-]*): (.*\d.*)/;
const HEAD = ['| what | figures |', '| --- | --- |'];
const TABLE = isOnPostgres ? 'PostgreSQL' : isWhole ? 'whole runs' : 'short runs';

// biome-ignore lint/style/noDefaultExport: the test runner looks for it there
export default class FiguresReporter implements Reporter {
  readonly #lines: string[] = [];

  onUserConsoleLog({ content }: { readonly content: string }): void {
    this.#lines.push(...content.split('\n').filter((line) => FIGURES.test(line)));
  }

  onTestRunEnd(): void {
    if (this.#lines.length === 0) return;
    console.log(`\nFigures\n${this.#lines.map((line) => `  ${line}`).join('\n')}\n`);
    if (process.env.DROPGATE_RECORD === '1') recordFigures(this.#lines);
  }
}

/** What several tests have printed by one name stands in one row. */
function recordFigures(lines: readonly string[]): void {
  const place = recordedIn('docs/faults.md', TABLE);
  const rows = place.text.split('\n').filter((line) => line.startsWith('| ') && !HEAD.includes(line));
  const byName = new Map(rows.map((row) => [row.split(' | ')[0], row]));
  const measured = Map.groupBy(lines, (line) => FIGURES.exec(line)?.[1] ?? '');
  for (const [name, same] of measured) {
    const figures = same.map((line) => line.slice(`${name}: `.length).replaceAll('|', '/'));
    byName.set(`| ${name}`, `| ${name} | ${figures.join('; ')} |`);
  }
  place.replace([...HEAD, ...[...byName.values()].sort()].join('\n'));
}
