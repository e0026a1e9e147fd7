// Webhooks: how subscriptions fare, and events that were given up.
import type { AnswerOf } from '#operations/table.ts';
import { html } from './html.ts';
import { ofCore } from './of-core.ts';
import { listing } from './pages-of-list.ts';
import { button, buttons, facts, firstOf, section } from './parts.ts';
import type { Look, Visit } from './visit.ts';
import { accountLink, address, badge, link, moment } from './words.ts';

type Webhook = AnswerOf<'webhook.list'>[number];
type Dead = AnswerOf<'webhook.dead'>[number];

const DEAD_ROWS = 200;

const holderOf = ({ partnerRegNo, accountRegNo }: Webhook): string =>
  [partnerRegNo, accountRegNo].filter((each) => each !== '').join(' for ');
const stateOf = ({ enabled }: Webhook): string => (enabled ? 'active' : 'disabled');

export const webhooks: Look = ofCore('Webhooks', async (visit) =>
  listing<Webhook>(visit, {
    title: 'Webhooks',
    path: '/webhooks',
    nothing: 'There is no such subscription.',
    nameOf: ({ id }) => id,
    rowsOf: (page) => visit.ask('webhook.list', { page }),
    columns: {
      subscription: ({ id }) => link(address('/webhook', { id }), id),
      of: (row) => holderOf(row),
      'leads to': ({ host }) => host,
      state: (row) => badge(stateOf(row)),
      'failing since': ({ failingSince }) => moment(failingSince, visit.nowMs),
      waiting: ({ waiting }) => waiting,
      'given up': ({ dead }) => dead,
    },
  }),
);

export const webhook: Look = ofCore('Webhook', async (visit) => {
  const { nowMs, query } = visit;
  const found = await visit.ask('webhook.show', { id: query.get('id') ?? '' });
  const dead = found.dead > 0 ? await visit.ask('webhook.dead', { webhookId: found.id, limit: DEAD_ROWS }) : [];
  const columns = {
    'given up': ({ deadAt }: Dead) => moment(deadAt, nowMs),
    event: ({ type }: Dead) => type,
    account: ({ accountRegNo }: Dead) => accountLink(accountRegNo),
    attempts: ({ attempts }: Dead) => attempts,
    why: ({ reason }: Dead) => reason,
    ...(visit.role === 'act' && {
      again: ({ webhookId, eventId }: Dead) => button('replay-one', `${webhookId}/${eventId}`, 'Send it again'),
    }),
  };
  const body = html`<h1>${holderOf(found)} ${badge(stateOf(found))}</h1>
${actsOf(visit, found)}
${facts({
  subscription: found.id,
  'leads to': found.host,
  events: found.types.join(', '),
  signed: found.signed ? 'yes' : 'no',
  'disabled because': found.disabledReason,
  'failing since': moment(found.failingSince, nowMs),
  waiting: found.waiting,
})}
${section('Given up', firstOf('Events that were given up, the latest first', columns, dead, 'No event was given up.', DEAD_ROWS, found.dead))}`;
  return { title: `Webhook of ${holderOf(found)}`, body };
});

function actsOf({ role }: Visit, { id, enabled, dead }: Webhook) {
  if (role !== 'act') return null;
  const replay = dead > 0 ? [button('replay', id, 'Send again what was given up')] : [];
  return buttons([...replay, enabled ? button('disable-webhook', id, 'Disable') : button('enable-webhook', id, 'Enable')]);
}
