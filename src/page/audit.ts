// What people have done here, the latest first, page by page.
import type { AnswerOf } from '#operations/table.ts';
import { html, type Part } from './html.ts';
import { button, buttons, more, table } from './parts.ts';
import type { Look, View } from './visit.ts';
import { address, badge, link, moment } from './words.ts';

type Act = AnswerOf<'audit.list'>[number];

const PAGE_ROWS = 50;

export const audit: Look = async ({ ask, query, nowMs }) => {
  const before = Number(query.get('before') ?? 0);
  const acts = await ask('audit.list', { limit: PAGE_ROWS + 1, ...(Number.isSafeInteger(before) && before > 0 && { before }) });
  const shown = acts.slice(0, PAGE_ROWS);
  // A broken line has no number, and comes again with the page behind it.
  const last = shown.findLast(({ sequence }) => sequence > 0);
  const next = acts.length > PAGE_ROWS && last ? address('/audit', { before: last.sequence }) : null;
  const columns = {
    when: ({ at }: Act) => moment(at, nowMs),
    who: ({ who }: Act) => who,
    what: ({ what }: Act) => html`<code>${what}</code>`,
    'with what': ({ given }: Act) => html`<code>${JSON.stringify(given)}</code>`,
    changes: (act: Act) => changesOf(act),
  };
  const body = html`<h1>Audit</h1>${buttons([button('verify-audit', '', 'Verify')])}${table('What people have done, the latest first', columns, shown, 'Nobody has done anything here yet.')}${more(next, 'Older')}`;
  return { title: 'Audit', body };
};

/** `told`: what is said of the trail. */
export function verifiedTrail(isWhole: boolean, told: string): View {
  const said = isWhole
    ? html`<p class="question" role="status">${badge('well')} ${told}</p>`
    : html`<p class="failed" role="alert">${told}</p>`;
  return { title: 'Verify the audit trail', body: html`<h1>Audit</h1>${said}<p>${link('/audit', 'Go on')}</p>` };
}

function changesOf({ before, after, failed }: Act): Part {
  if (failed !== undefined) return html`<span class="badge bad">failed</span> ${failed}`;
  if (before === undefined && after === undefined) return null;
  const shown = (value: unknown): string => JSON.stringify(value ?? null, null, 1);
  return html`<details><summary>before and after</summary><pre tabindex="0">${shown(before)}</pre><pre tabindex="0">${shown(after)}</pre></details>`;
}
