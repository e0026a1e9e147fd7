// Everything of one document: its facts, what is wrong with it, what happened to it, its receipts, and what an operator may do.
import { AppError } from '#domain/error.ts';
import { shortId } from '#domain/id.ts';
import { ITEM_STATES } from '#gateway/model/item.ts';
import type { AnswerOf } from '#operations/table.ts';
import { actsOfItem, actsOfReceipt, actsOfReceived } from './document-acts.ts';
import { findingsList, lineOf } from './findings.ts';
import { type Html, html, type Part } from './html.ts';
import { buttons, facts, section, table } from './parts.ts';
import type { Look, View, Visit } from './visit.ts';
import { accountLink, badge, documentName, itemLink, moment, size, took } from './words.ts';

type Found = AnswerOf<'find'>['found'][number];
type Timeline = NonNullable<AnswerOf<'find'>['timeline']>;
type Receipts = AnswerOf<'receipts'>;

export const document: Look = (visit) => (visit.query.get('kind') === 'received' ? received(visit) : dropped(visit));

async function dropped(visit: Visit): Promise<View> {
  const { item: id, ...item } = await visit.ask('item', { item: visit.query.get('id') ?? '' });
  const { timeline } = await visit.ask('find', { text: id, id, states: [...ITEM_STATES], limit: 20 });
  const named = timeline?.findings.length === 0 ? lineNamed(item.reason) : [];
  const receipts = await visit.ask('receipts', {
    item: id,
    lines: [...named, ...(timeline?.findings.flatMap(({ line }) => line ?? []) ?? [])],
  });
  const name = documentName(item.family, item.documentId) ?? item.fileName;
  const state = item.network === null ? item.state : `${item.state}, ${item.network}`;
  const body = html`<h1>${name} ${badge(state)}</h1>
${item.reason !== null && html`<p class="reason">${item.reason}</p>`}
${named.map((line) => lineOf(line, receipts.lines))}
${visit.role === 'act' && buttons(actsOfItem({ item: id, ...item }))}
${findingsOf(timeline, receipts)}
${facts({
  account: accountLink(item.accountRegNo),
  home: item.home !== item.accountRegNo && item.home,
  file: `${item.fileName} (${size(item.size)})`,
  from: item.sender,
  to: item.receiver,
  dropped: html`${moment(item.receivedAt, visit.nowMs)} ${item.login === null ? 'in the folder on disk, or by a command' : `by ${item.login}`}`,
  'next attempt': item.nextAttemptAt !== null && Date.parse(item.nextAttemptAt) > 0 && moment(item.nextAttemptAt, visit.nowMs),
  integrationId: item.integrationId,
  'duplicate of': item.duplicateOf && itemLink(item.duplicateOf),
  'sends again': item.resends && itemLink(item.resends),
  'sent again as': item.resentAs.length > 0 && item.resentAs.map((each) => html`${itemLink(each)} `),
  'letters of the receipt': html`<code>${shortId(id)}</code>`,
  sha256: html`<code>${item.sha256}</code>`,
})}
${timelineOf(timeline, visit)}
${receiptsOf(visit, receipts)}`;
  return { title: name, body };
}

async function received(visit: Visit): Promise<View> {
  const [id, account] = ['id', 'account'].map((name) => visit.query.get(name) ?? '');
  const only = { ...(id !== undefined && { id }), ...(account && { accountRegNo: account }) };
  const { found, timeline } = await visit.ask('find', { text: id || '-', ...only, states: ['received'], limit: 20 });
  const [first] = found;
  if (!first) throw new AppError('missing', `There is no received document ${id}.`);
  const name = documentName(first.family, first.documentId) ?? first.id;
  const body = html`<h1>${name} ${badge('received')}</h1>
${visit.role === 'act' && buttons(actsOfReceived(first.id))}
${factsOfReceived(first, visit)}
${timelineOf(timeline, visit)}`;
  return { title: name, body };
}

function factsOfReceived({ accountRegNo, sender, receiver, at, id }: Found, { nowMs }: Visit): Html {
  return facts({ account: accountLink(accountRegNo), from: sender, to: receiver, received: moment(at, nowMs), integrationId: id });
}

/** What cannot be read breaks no rule: the sentence names the line where reading has ended. */
function lineNamed(reason: string | null): number[] {
  const [, line] = /\bline (\d+)/.exec(reason ?? '') ?? [];
  return line === undefined ? [] : [Number(line)];
}

function findingsOf(timeline: Timeline | null, { lines }: Receipts): Part {
  if (!timeline || timeline.findings.length === 0) return null;
  return section(
    'What is wrong with it',
    timeline.isJudgedAgain &&
      html`<p class="note">No receipt here tells it to this page, so it was judged again, by the rules of the day on which it was refused.</p>`,
    findingsList(timeline.findings, lines),
  );
}

function timelineOf(timeline: Timeline | null, { nowMs }: Visit): Part {
  if (!timeline) return null;
  const happened = html`<ol class="timeline">${timeline.happened.map(
    ({ at, what, detail, tookMs }) => html`<li>${moment(at, nowMs)} <strong>${what}</strong>
<span>${detail}${tookMs !== null && html` <small>${took(tookMs)}</small>`}</span></li>`,
  )}</ol>`;
  const files = table(
    'Its files',
    {
      folder: ({ folder }: Timeline['files'][number]) => folder,
      file: ({ name }: Timeline['files'][number]) => name,
      now: ({ isHere }: Timeline['files'][number]) => (isHere ? 'is there' : 'not there any more'),
    },
    timeline.files,
    'It has no files in the home.',
  );
  return html`${section('What happened', happened)}${section('Files', files)}`;
}

function receiptsOf({ role }: Visit, { item, receipts }: Receipts): Part {
  if (receipts.length === 0) return null;
  const shown = receipts.map(({ name, text }, at) =>
    text === null
      ? html`<p class="nothing">${name}: not there any more.</p>`
      : html`<details ${at === receipts.length - 1 && html`open`}><summary>${name}</summary><pre tabindex="0">${text}</pre>
${role === 'act' && buttons([actsOfReceipt(item, name)])}</details>`,
  );
  return section('Receipts, as the sender finds them', shown);
}
