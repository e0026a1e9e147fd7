// `dropgate webhook`: how subscriptions fare, what was given up, sending it again, and signing.
import { counted } from '#domain/amounts.ts';
import type { AnswerOf } from '#operations/table.ts';
import type { Cell } from './cells.ts';
import type { AddCommand } from './commands.ts';

interface DeadOptions {
  readonly webhook?: string;
}

type Webhook = AnswerOf<'webhook.list'>[number];

export const addWebhookCommands: AddCommand = (commands) => {
  const webhook = commands.group('webhook');
  const subscriptions = webhook.table<Webhook>('subscriptions', {
    id: ({ id }) => id,
    holder: holderOf,
    host: ({ host }) => host,
    state: stateOf,
    waiting: ({ waiting }) => `${waiting} wait`,
    dead: ({ dead }) => `${dead} dead`,
  });
  webhook.asks('list', 'webhook.list', () => ({}), subscriptions);
  const facts = webhook.facts((row: Webhook) => [
    ['id', row.id],
    ['holder', holderOf(row)],
    ['host', row.host],
    ['state', stateOf(row)],
    ['signed', row.signed ? 'yes' : 'no'],
    ['waiting', row.waiting],
    ['dead', row.dead],
  ]);
  webhook.asks('show <id>', 'webhook.show', (id: string) => ({ id }), facts);

  const events = webhook.table<AnswerOf<'webhook.dead'>[number]>('events that were given up', {
    'given up': ({ deadAt }) => ({ at: deadAt }),
    event: ({ eventId }) => eventId,
    account: ({ accountRegNo }) => accountRegNo,
    type: ({ type }) => type,
    tries: ({ attempts }) => counted(attempts, 'try', 'tries'),
    reason: ({ reason }) => reason,
  });
  const of = ({ webhook: webhookId }: DeadOptions) => ({ ...(webhookId !== undefined && { webhookId }) });
  webhook.asks('dead', 'webhook.dead', of, events).option('--webhook <id>', 'those of one subscription');

  webhook
    .asks(
      'replay [eventId...]',
      'webhook.replay',
      (eventIds: string[], options: DeadOptions) => ({ eventIds, ...of(options) }),
      webhook.outcome(({ count }) => `${counted(count, 'event is', 'events are')} sent again.`),
    )
    .option('--webhook <id>', 'all of this subscription');

  const signed = ({ id, secret }: AnswerOf<'webhook.sign'>) => ({
    done: `Deliveries of ${id} are signed${secret === null ? ' no more' : ''}.`,
    more: [secret !== null && `Signing secret, shown once: ${secret}`],
  });
  webhook
    .asks('sign <id>', 'webhook.sign', (id: string, { off = false }: { off?: boolean }) => ({ id, off }), webhook.outcome(signed))
    .option('--off', 'sign them no more');
};

function holderOf({ scope, partnerRegNo, accountRegNo }: Webhook): string {
  if (scope === 'child') return `partner ${partnerRegNo} for ${accountRegNo}`;
  return `${scope} ${accountRegNo}`;
}

function stateOf({ enabled, disabledReason, failingSince }: Webhook): Cell {
  if (!enabled) return [{ state: 'disabled' }, `(${disabledReason})`];
  return failingSince === null ? { state: 'well' } : ['fails since', { at: failingSince }];
}
