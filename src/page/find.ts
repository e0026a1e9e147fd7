// Finding documents by what a person knows of them, and listing them by state: the newest first, page by page.
import { counted } from '#domain/amounts.ts';
import { FIND_STATES, type FindState, ITEM_STATES } from '#gateway/model/item.ts';
import type { AnswerOf, InputOf } from '#operations/table.ts';
import { type Html, html, type Part } from './html.ts';
import { button, buttons, type Columns, choice, field, more, table } from './parts.ts';
import type { Look, Visit } from './visit.ts';
import { accountLink, address, badge, documentName, itemLink, link, moment, short } from './words.ts';

type Found = AnswerOf<'find'>['found'][number];

const PAGE_ROWS = 50;
const TEXT_MAX = 255;

export const find: Look = async (visit) => {
  const text = (visit.query.get('text') ?? '').trim().slice(0, TEXT_MAX);
  const { rows, next, note } = text === '' ? await listed(visit) : await found(visit, text);
  const body = html`<h1>Find</h1>
${form(visit, text)}
<p class="note" role="status">${note}</p>
${releasing(visit, rows)}
${table('Documents, the newest first', columnsFor(visit), rows, text === '' ? 'No document was dropped yet that fits.' : 'Nothing was found.')}
${more(next, 'Older')}`;
  return { title: text === '' ? 'Find' : `${text} – Find`, body };
};

function form({ query }: Visit, text: string): Html {
  const states = Object.fromEntries(FIND_STATES.map((state) => [state, state]));
  return html`<form class="search" role="search" action="/find">
${field('Number, file, company, address or receipt', 'text', text, html`type="search" autofocus maxlength="${TEXT_MAX}"`)}
${field('Account', 'account', query.get('account') ?? '', html`size="14"`)}
${choice('State', 'state', query.get('state') ?? '', { '': 'any', ...states })}
<button type="submit">Find</button>
</form>`;
}

/** Where all held documents of one account are listed, they can be released together. */
function releasing({ role, query }: Visit, rows: readonly Found[]): Part {
  const account = query.get('account') ?? '';
  if (role !== 'act' || query.get('state') !== 'held' || account === '' || rows.length === 0) return null;
  return buttons([button('release-all', account, 'Release all that are held')]);
}

interface Listed {
  readonly rows: readonly Found[];
  /** Where older ones stand. */
  readonly next: string | null;
  readonly note: string;
}

/** Dropped files of a state, or all. */
async function listed({ ask, query }: Visit): Promise<Listed> {
  const [state, account, before, ended] = ['state', 'account', 'before', 'ended'].map((name) => query.get(name) || undefined);
  const states = ITEM_STATES.filter((each) => each === state);
  if (state !== undefined && states.length === 0)
    return { rows: [], next: null, note: `What is '${state}' is found by a number, a name, a company or an address: say one.` };
  const items = await ask('items', {
    limit: PAGE_ROWS + 1,
    ...(states.length > 0 && { states }),
    ...(account !== undefined && { accountRegNo: account }),
    ...(before !== undefined && { before }),
    ...(ended !== undefined && { endedSince: ended }),
  });
  const shown = items.slice(0, PAGE_ROWS);
  const next = items.length > PAGE_ROWS ? address('/find', { state, account, ended, before: shown.at(-1)?.item }) : null;
  const rows = shown.map((item): Found => ({ ...item, kind: 'dropped', id: item.item, at: item.receivedAt }));
  return { rows, next, note: before === undefined ? 'The latest dropped files.' : 'Older dropped files.' };
}

async function found({ ask, query }: Visit, text: string): Promise<Listed> {
  const [state, account, behind] = ['state', 'account', 'behind'].map((name) => query.get(name) || undefined);
  const input: InputOf<'find'> = {
    text,
    limit: PAGE_ROWS,
    ...(isState(state) && { states: [state] }),
    ...(account !== undefined && { accountRegNo: account }),
    ...(behind !== undefined && { behind }),
  };
  const { found: rows, next: place, looked } = await ask('find', input);
  const next = place === null ? null : address('/find', { text, state, account, behind: place });
  const back = looked.since === null ? 'as far back as the ledger goes' : `back to ${looked.since.slice(0, 10)}`;
  return { rows, next, note: `Looked in ${counted(looked.accounts, 'account')}, ${back}.` };
}

function isState(state: string | undefined): state is FindState {
  return FIND_STATES.some((each) => each === state);
}

function columnsFor({ nowMs }: Visit): Columns<Found> {
  return {
    document: (row) => nameOf(row),
    state: ({ state, network }) => badge(network === null ? state : `${state}, ${network}`),
    when: ({ at }) => moment(at, nowMs),
    account: ({ accountRegNo }) => accountLink(accountRegNo),
    'from and to': ({ sender, receiver }) =>
      sender !== null && html`<span class="party">${sender}</span> <span class="party">&rarr; ${receiver}</span>`,
    why: ({ reason }) => short(reason),
  };
}

function nameOf({ kind, id, accountRegNo, family, documentId, fileName }: Found): Html {
  const name = documentName(family, documentId);
  const shown = name ?? fileName ?? id;
  const below = name !== null && fileName !== null && html`<small class="file">${fileName}</small>`;
  if (kind === 'dropped') return html`${itemLink(id, shown)}${below}`;
  return kind === 'received' ? link(address('/document', { kind, id, account: accountRegNo }), shown) : html`${shown}${below}`;
}
