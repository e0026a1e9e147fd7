// What an operator may do by a button: it is asked for once more, in a sentence that says what it will do, with fields where something is to be said.
import { type Html, html, type Part } from './html.ts';
import type { View, Visit } from './visit.ts';

/** Where the page goes on when it is done; a file that the browser stores; or what is shown once, for it holds a secret. */
export type Done = { readonly to: string } | { readonly fileName: string; readonly bytes: Buffer } | { readonly once: View };

/** What was said in a field; '' where nothing was. */
export type Given = (name: string) => string;

interface Field {
  readonly label: string;
  /** As it stands now. */
  readonly value?: string;
  readonly isRequired?: true;
  /** A text of several lines; a number from 1; a secret; one of these, each with what is shown for it; a line without it. */
  readonly kind?: 'lines' | 'number' | 'secret' | Readonly<Record<string, string>>;
}

export type Fields = Readonly<Record<string, Field>>;

export interface Act {
  /** The heading of the question, and the label of its button. */
  readonly label: string;
  /** What it will do. Throws `missing`. */
  readonly says: (visit: Visit, id: string) => Promise<string>;
  /** By the names under which they come back. */
  readonly fields?: (visit: Visit, id: string) => Promise<Fields>;
  readonly run: (visit: Visit, id: string, given: Given) => Promise<Done>;
  /** Where it was asked for. */
  readonly from: (id: string) => string;
  /** Operators who may only look may do it, too. */
  readonly isForAll?: true;
}

/** Asks once more. */
export async function question(visit: Visit, name: string, { label, says, fields, from }: Act, id: string): Promise<View> {
  const body: Html = html`<h1>${label}?</h1>
<p class="question">${await says(visit, id)}</p>
<form class="said" method="post" action="/act/${name}">
<input type="hidden" name="id" value="${id}"><input type="hidden" name="token" value="${visit.token}">
${Object.entries((await fields?.(visit, id)) ?? {}).map(([each, field]) => fieldOf(each, field))}
<p class="buttons"><button type="submit" class="act">${label}</button> <a class="button" href="${from(id)}">Leave it</a></p>
</form>`;
  return { title: label, body };
}

function fieldOf(name: string, { label, value = '', kind, isRequired }: Field): Html {
  const required = isRequired === true && html`required`;
  return html`<label>${label}${control(name, value, kind, required)}</label>`;
}

function control(name: string, value: string, kind: Field['kind'], required: Part): Html {
  if (kind === 'lines') return html`<textarea name="${name}" rows="4" spellcheck="false" ${required}>${value}</textarea>`;
  if (typeof kind === 'object')
    return html`<select name="${name}" ${required}>${Object.entries(kind).map(
      ([each, shown]) => html`<option value="${each}" ${each === value && html`selected`}>${shown}</option>`,
    )}</select>`;
  if (kind === 'number') return html`<input type="number" min="1" name="${name}" value="${value}" ${required}>`;
  const type = kind === 'secret' ? 'password' : 'text';
  return html`<input type="${type}" name="${name}" value="${value}" autocomplete="off" autocapitalize="none" spellcheck="false" ${required}>`;
}
