// The network: documents on their way to it, and those from it that were turned away for what they break.
import type { AnswerOf } from '#operations/table.ts';
import { findingsList } from './findings.ts';
import { html, type Part } from './html.ts';
import { ofCore } from './of-core.ts';
import { button, buttons, choice, facts, field, more, section, table } from './parts.ts';
import type { Look, Visit } from './visit.ts';
import { accountLink, address, badge, documentName, link, moment, size } from './words.ts';

type Transmission = AnswerOf<'transmission.list'>[number];
type TurnedAway = AnswerOf<'network.turned-away'>[number];
type Participant = AnswerOf<'network.check'>[number];

const PAGE_ROWS = 50;
const STATES = ['waiting', 'handed', 'failed', 'silent', 'done', 'replaced'] as const;
/** What may be tried again. */
const GIVEN_UP: ReadonlySet<string> = new Set(['failed', 'silent']);

export const network: Look = ofCore('Network', async (visit) => {
  const names = ['state', 'account', 'createdAt', 'instanceId', 'before', 'participant', 'what'];
  const [state, account, createdAt, instanceId, before, participant, what] = names.map((name) => visit.query.get(name) || undefined);
  const states = STATES.filter((each) => each === state);
  const common = { limit: PAGE_ROWS + 1, ...(account !== undefined && { accountRegNo: account }) };
  const behind = createdAt !== undefined && instanceId !== undefined && { behind: { createdAt, instanceId } };
  const checkedBehind = participant !== undefined &&
    what !== undefined && { behind: { participant, what, detail: visit.query.get('detail') } };
  const [sent, turnedAway, checked] = await Promise.all([
    visit.ask('transmission.list', { ...common, ...behind, ...(states.length > 0 && { states }) }),
    visit.ask('network.turned-away', { ...common, ...(before !== undefined && { before: Number(before) }) }),
    visit.ask('network.check', { ...common, ...checkedBehind, now: false }),
  ]);
  const ways = { state, account };
  const body = html`<h1>Network</h1>
<form class="search" role="search" action="/network">
${field('Account', 'account', account ?? '', html`size="14"`)}
${choice('State', 'state', state ?? '', { '': 'to look after', ...Object.fromEntries(STATES.map((each) => [each, each])) })}
<button type="submit">Show</button></form>
${section(
  'To the network',
  sentTable(visit, sent.slice(0, PAGE_ROWS)),
  goesOn('Older', sent, (last) => ({ ...ways, createdAt: last.createdAt, instanceId: last.instanceId })),
)}
${section(
  'Turned away',
  turnedAwayTable(visit, turnedAway.slice(0, PAGE_ROWS)),
  goesOn('Older', turnedAway, ({ sequence }) => ({ ...ways, before: sequence })),
)}
${section(
  'How others find us',
  participantTable(visit, checked.slice(0, PAGE_ROWS)),
  goesOn('Next', checked, (last) => ({ ...ways, participant: last.participant, what: last.what, detail: last.detail ?? '' })),
)}`;
  return { title: 'Network', body };
});

/** Where a list goes on, of which one row more than are shown was asked for. */
function goesOn<Row>(label: string, rows: readonly Row[], placeOf: (last: Row) => Parameters<typeof address>[1]): Part {
  const last = rows.length > PAGE_ROWS ? rows[PAGE_ROWS - 1] : undefined;
  return more(last ? address('/network', placeOf(last)) : null, label);
}

function sentTable({ nowMs }: Visit, rows: readonly Transmission[]): Part {
  const columns = {
    document: (row: Transmission) =>
      link(address('/transmission', { id: row.instanceId }), documentName(row.family, row.documentId) ?? row.instanceId),
    state: ({ state }: Transmission) => badge(state),
    since: ({ createdAt }: Transmission) => moment(createdAt, nowMs),
    account: ({ accountRegNo }: Transmission) => accountLink(accountRegNo),
    to: ({ receiver }: Transmission) => receiver,
    attempts: ({ attempts }: Transmission) => attempts,
    why: ({ reason }: Transmission) => reason,
  };
  return table('Documents to the network, the latest first', columns, rows, 'There is none.');
}

function turnedAwayTable({ nowMs }: Visit, rows: readonly TurnedAway[]): Part {
  const columns = {
    document: (row: TurnedAway) =>
      link(address('/turned-away', { id: row.instanceId }), documentName(row.family, row.documentId) ?? row.instanceId),
    when: ({ turnedAwayAt }: TurnedAway) => moment(turnedAwayAt, nowMs),
    account: ({ accountRegNo }: TurnedAway) => accountLink(accountRegNo),
    from: ({ sender }: TurnedAway) => sender,
    findings: ({ findings }: TurnedAway) => findings.length,
  };
  return table('Documents from the network that were turned away, the latest first', columns, rows, 'None was turned away.');
}

function participantTable({ nowMs }: Visit, rows: readonly Participant[]): Part {
  const columns = {
    address: ({ participant }: Participant) => participant,
    account: ({ accountRegNo }: Participant) => accountLink(accountRegNo),
    state: ({ what }: Participant) => badge(what),
    why: ({ detail, reason }: Participant) => detail ?? reason,
    'looked up': ({ lookedUpAt }: Participant) => moment(lookedUpAt, nowMs),
    'certificate ends': ({ certificateEndsAt }: Participant) => moment(certificateEndsAt, nowMs),
  };
  return table('Addresses as strangers find them, those that differ first', columns, rows, 'No address is looked up.');
}

export const transmission: Look = ofCore('Transmission', async (visit) => {
  const { nowMs, query } = visit;
  const found = await visit.ask('transmission.show', { instanceId: query.get('id') ?? '' });
  const name = documentName(found.family, found.documentId) ?? found.instanceId;
  const happened = [
    ...found.statuses.map(({ at, status, reason }) => ({ at, what: status, detail: reason })),
    ...found.answers.map(({ at, kind, code, text }) => ({ at, what: `${kind} ${code}`, detail: text })),
  ].sort((one, other) => (one.at < other.at ? -1 : 1));
  const body = html`<h1>${name} ${badge(found.state)}</h1>
${found.reason !== null && html`<p class="reason">${found.reason}</p>`}
${visit.role === 'act' && GIVEN_UP.has(found.state) && buttons([button('retry', found.instanceId, 'Try again')])}
${facts({
  account: accountLink(found.accountRegNo),
  to: found.receiver,
  stored: moment(found.createdAt, nowMs),
  'handed over': moment(found.handedAt, nowMs),
  posted: moment(found.postedAt, nowMs),
  'next attempt': moment(found.nextAttemptAt, nowMs),
  attempts: found.attempts,
  integrationId: found.integrationId,
  instance: found.instanceId,
})}
${section('What happened', html`<ol class="timeline">${happened.map(({ at, what, detail }) => html`<li>${moment(at, nowMs)} <strong>${what}</strong> <span>${detail}</span></li>`)}</ol>`)}`;
  return { title: name, body };
});

export const turnedAway: Look = ofCore('Turned away', async ({ ask, query, nowMs, role }) => {
  const found = await ask('network.show', { instanceId: query.get('id') ?? '' });
  const name = documentName(found.family, found.documentId) ?? found.instanceId;
  const body = html`<h1>${name} ${badge('refused')}</h1>
${role === 'act' && buttons([button('download-turned-away', found.instanceId, 'Download')])}
${section('What is wrong with it', findingsList(found.findings, found.lines))}
${facts({
  account: accountLink(found.accountRegNo),
  from: found.sender,
  to: found.receiver,
  'turned away': moment(found.turnedAwayAt, nowMs),
  size: size(found.size),
  instance: found.instanceId,
  sha256: html`<code>${found.sha256}</code>`,
})}`;
  return { title: name, body };
});
