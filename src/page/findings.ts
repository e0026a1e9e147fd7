// What is wrong with a document: each finding above the line that it names.
import type { AnswerOf } from '#operations/table.ts';
import { type Html, html } from './html.ts';

type Lines = AnswerOf<'receipts'>['lines'];

interface Finding {
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly path?: string;
  readonly line?: number;
}

export function findingsList(findings: readonly Finding[], lines: Lines): Html {
  return html`<ul class="findings">${findings.map((finding) => findingOf(finding, lines))}</ul>`;
}

function findingOf({ rule, severity, message, path, line }: Finding, lines: Lines): Html {
  return html`<li class="${severity === 'fatal' ? 'bad' : 'open'}"><p><code>${rule}</code> ${message}</p>
${line !== undefined && lineOf(line, lines)}${path !== undefined && html`<p><small><code>${path}</code></small></p>`}</li>`;
}

export function lineOf(line: number, lines: Lines): Html {
  const text = lines.find(({ number }) => number === line)?.text ?? '';
  return html`<pre class="line" tabindex="0"><span>line ${line}</span> ${text}</pre>`;
}
