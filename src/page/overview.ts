// The overview: what needs a person first, what waits, and what became of the documents of today.
import { counted } from '#domain/amounts.ts';
import { dayOf, isoTime } from '#domain/day.ts';
import type { AnswerOf } from '#operations/table.ts';
import { localDay } from '#runtime/local-time.ts';
import { chartsOf } from './charts.ts';
import { type Html, html, type Part } from './html.ts';
import { facts, firstOf, section, table } from './parts.ts';
import type { Look, Visit } from './visit.ts';
import { accountLink, address, link, moment, size } from './words.ts';

type Status = AnswerOf<'status'>;
type Matter = Status['matters'][number];
type Release = Status['releases'][number];

const DAY_MINUTES = 1_440;

/** What a matter is called, and where more of it is shown. */
const MATTERS: Readonly<Record<Matter['what'], { readonly title: string; readonly where?: (matter: Matter) => string }>> = {
  held: {
    title: 'Held',
    where: ({ accountRegNo }) => address('/find', { state: 'held', account: accountRegNo ?? undefined }),
  },
  key: { title: 'API key lost' },
  stuck: { title: 'Not put into the outbox' },
  refused: {
    title: 'Refused by the service',
    where: ({ accountRegNo }) => address('/find', { state: 'pending', account: accountRegNo ?? undefined }),
  },
  webhooks: { title: 'Webhooks disabled', where: () => '/webhooks' },
  events: { title: 'Events given up', where: () => '/webhooks' },
  participants: { title: 'Registration differs', where: () => '/network' },
  alarm: { title: 'Alarm' },
  channel: { title: 'Alarms are not told' },
};

/** Of lists that may name every account: rows of what waits, and matters of one kind. */
const ROWS_MAX = 50;
const ALIKE_MAX = 20;

const FIGURES = ['dropped', 'accepted', 'refused', 'held', 'cancelled', 'delivered'] as const;
/** Figures behind which a list stands. */
const LISTED: ReadonlySet<string> = new Set(['accepted', 'refused', 'held', 'cancelled']);

export const overview: Look = async (visit) => {
  const [status, checks, minutes] = await Promise.all([
    visit.ask('status', { today: isoTime(localDay(visit.nowMs).fromMs) }),
    visit.look(),
    visit.ask('activity', { minutes: DAY_MINUTES }),
  ]);
  const failing = checks.filter(({ reason }) => reason !== null);
  const body = html`<h1>Overview</h1>
${section('Needs a person', mattersOf(status, failing, visit))}
${section('Today', figuresOf(status))}
${section('Waits', waitingOf(status, visit))}
${section('The last 24 hours', chartsOf(minutes, visit))}
${section('Machine', machineOf(status, visit))}
${section('Rules', releasesOf(status, visit))}`;
  return { title: 'Overview', body };
};

function mattersOf({ matters }: Status, failing: Awaited<ReturnType<Visit['look']>>, visit: Visit): Html {
  if (matters.length + failing.length === 0) return html`<p class="well">Nothing. All parts of the daemon answer.</p>`;
  return html`<ul class="matters">${failing.map(
    ({ check, reason }) => html`<li><strong>Does not answer</strong> <span>${check}: ${reason}</span></li>`,
  )}${[...Map.groupBy(matters, ({ what }) => what).values()].map((alike) => alikeOf(alike, visit))}</ul>`;
}

function alikeOf(matters: readonly Matter[], visit: Visit): Html {
  const rest = matters.length - ALIKE_MAX;
  return html`${matters.slice(0, ALIKE_MAX).map((matter) => matterOf(matter, visit))}${
    rest > 0 && html`<li><strong>And ${rest} more like these</strong> <span>All of them: <code>dropgate status</code></span></li>`
  }`;
}

function matterOf(matter: Matter, { nowMs }: Visit): Html {
  const { title, where } = MATTERS[matter.what];
  const [sentence = '', command] = matter.sentence.split(/: (?=dropgate )/);
  return html`<li><strong>${matter.count > 1 && html`<b>${matter.count}</b> `}${where ? link(where(matter), title) : title}</strong>
<span>${matter.accountRegNo !== null && html`${accountLink(matter.accountRegNo)} · `}${sentence}${command && html`: <code>${command}</code>`}</span>
${matter.since !== null && html`<span class="since">since ${moment(matter.since, nowMs)}</span>`}</li>`;
}

function figuresOf({ today }: Status): Part {
  if (!today) return html`<p class="nothing">Documents are counted where the gateway runs.</p>`;
  const since = today.since;
  return html`<ul class="figures">${FIGURES.map((name) => {
    const figure = html`<b>${today[name]}</b> ${name}`;
    const isBad = today[name] > 0 && (name === 'refused' || name === 'held');
    return html`<li class="${isBad ? 'bad' : 'plain'}">${LISTED.has(name) ? link(address('/find', { state: name, ended: since }), figure) : figure}</li>`;
  })}</ul>`;
}

function waitingOf({ waiting, silent }: Status, { nowMs }: Visit): Part {
  const rows = [
    ...silent.map(({ family, ...row }) => ({ ...row, reason: `${family}: the service has not answered since` })),
    ...waiting.map(({ reason, ...row }) => ({ ...row, reason: reason ?? 'on their way' })),
  ];
  const columns = {
    account: ({ accountRegNo }: (typeof rows)[number]) => accountLink(accountRegNo),
    documents: ({ accountRegNo, count }: (typeof rows)[number]) =>
      link(address('/find', { state: 'pending', account: accountRegNo }), count),
    since: ({ since }: (typeof rows)[number]) => moment(since, nowMs),
    why: ({ reason }: (typeof rows)[number]) => reason,
  };
  return firstOf('What waits, by account', columns, rows, 'Nothing waits.', ROWS_MAX);
}

function machineOf({ disk, certificates }: Status, { nowMs }: Visit): Part {
  return facts({
    'free on the disk': `${size(disk.free)} of ${size(disk.size)}`,
    ...Object.fromEntries(certificates.map(({ setting, endsAt }) => [`certificate of ${setting} ends`, moment(endsAt, nowMs)])),
  });
}

/** Those that begin or end, and the others below them. */
function releasesOf({ releases }: Status, { nowMs }: Visit): Part {
  const today = dayOf(nowMs);
  const [moving = [], settled = []] = [true, false].map((moves) =>
    releases.filter(({ from, until }) => (from > today || until !== null) === moves),
  );
  const columns = {
    rules: ({ name }: Release) => name,
    release: ({ release }: Release) => release,
    'mandatory from': ({ from }: Release) => from,
  };
  const ends = { ...columns, until: ({ until }: Release) => until };
  return html`${table('Rules that begin or end', ends, moving, 'No rules begin or end.')}
<details><summary>${counted(settled.length, 'set')} of rules in force, without an end</summary>${table('Rules in force', columns, settled, 'There are none.')}</details>`;
}
