// A report as a good compiler prints it: file:line:column, the sentence, the rule, the line, and a caret below the place.
import type { Finding } from '#domain/document.ts';
import { visible } from '#domain/visible.ts';
import type { Excerpt } from '#rules/excerpts.ts';
import type { FileReport } from './report.ts';

const WORDS: Readonly<Record<Finding['severity'], string>> = { fatal: 'error', warning: 'warning' };

/** One text of several lines; '' when there is nothing to say. */
export function textOf(report: FileReport): string {
  const texts = report.findings.map((finding, index) => findingText(report, finding, report.excerpts[index]));
  if (report.untold > 0) texts.push(`${visible(report.file)}: and ${report.untold} more findings.`);
  return texts.join('\n');
}

function findingText({ file }: FileReport, finding: Finding, excerpt: Excerpt | null | undefined): string {
  const { line, column, path, severity, message, rule } = finding;
  const where = [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':');
  const head = visible(`${where}: ${WORDS[severity]}: ${message} [${rule}]`);
  if (!excerpt) return path === undefined ? head : `${head}\n    at ${visible(path)}`;
  const before = visible(excerpt.text.slice(0, excerpt.before));
  return `${head}\n    ${before}${visible(excerpt.text.slice(excerpt.before))}\n    ${' '.repeat(before.length)}^`;
}
