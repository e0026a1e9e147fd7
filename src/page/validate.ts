// Judging a document that an operator shows: a file is chosen or dropped, its findings stand beside what they name, and nothing of it is kept.
import { counted } from '#domain/amounts.ts';
import type { AnswerOf } from '#operations/table.ts';
import { type Html, html, type Part } from './html.ts';
import { section } from './parts.ts';
import type { Shown } from './upload.ts';
import type { Look, View, Visit } from './visit.ts';
import { badge } from './words.ts';

type Judged = AnswerOf<'validate'>;

export const validate: Look = async (visit) => ({ title: 'Validate', body: html`<h1>Validate</h1>${form(visit)}` });

function form({ token }: Visit): Html {
  return html`<form class="upload" method="post" action="/validate" enctype="multipart/form-data">
<input type="hidden" name="token" value="${token}">
<label>A document in XML or JSON: choose a file, or drop one here<input type="file" name="document" accept=".xml,.json" required></label>
<p class="buttons"><button type="submit" class="act">Validate</button></p>
</form>
<p class="note">It is judged by the rules of today, as one that is sent; nothing of it is kept.</p>`;
}

/** What is said about a file. */
export async function judged(visit: Visit, { fileName, bytes }: Shown): Promise<View> {
  const found = await visit.ask('validate', { document: bytes.toString('base64') });
  const errors = found.findings.filter(({ severity }) => severity === 'fatal').length;
  const body = html`<h1>${fileName} ${badge(found.state)}</h1>
<p role="status">${summary(found, errors)}${found.profile !== null && html` Profile: <code>${found.profile}</code>`}</p>
${findingsOf(found)}
${section('Another one', form(visit))}`;
  return { title: `${fileName} – Validate`, body };
}

function summary({ state, findings, untold }: Judged, errors: number): string {
  if (state === 'unreadable') return 'It cannot be read.';
  if (findings.length === 0) return 'Nothing is wrong with it.';
  const beyond = untold > 0 ? `, and ${untold} more that are not shown` : '';
  return `${counted(errors, 'error')} and ${counted(findings.length - errors, 'warning')}${beyond}.`;
}

function findingsOf({ findings }: Judged): Part {
  if (findings.length === 0) return null;
  return section('What is wrong with it', html`<ul class="findings">${findings.map(findingOf)}</ul>`);
}

function findingOf({ rule, severity, message, path, line, column, excerpt }: Judged['findings'][number]): Html {
  const place = line !== undefined && html`<span>line ${line}${column !== undefined && `, column ${column}`}</span> `;
  const text = excerpt !== null && html`${excerpt.text.slice(0, excerpt.before)}<mark>${excerpt.text.slice(excerpt.before)}</mark>`;
  return html`<li class="${severity === 'fatal' ? 'bad' : 'open'}"><p><code>${rule}</code> ${message}</p>
${(line !== undefined || excerpt !== null) && html`<pre class="line" tabindex="0">${place}${text}</pre>`}
${path !== undefined && html`<p><small><code>${path}</code></small></p>`}</li>`;
}
