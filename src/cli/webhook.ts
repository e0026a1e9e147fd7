// `dropgate webhook`: subscriptions and how they fare, what was given up, sending it again, and signing.

import { counted } from '#domain/amounts.ts';
import { EVENT_TYPES, type EventType } from '#domain/event.ts';
import type { AnswerOf } from '#operations/table.ts';
import type { Cell } from './cells.ts';
import type { AddCommand, Commands } from './commands.ts';
import { collect, wordsOf } from './options.ts';

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
    waiting: ({ waiting }) => ({ people: waiting, programs: `${waiting} wait` }),
    dead: ({ dead }) => ({ people: dead, programs: `${dead} dead` }),
  });
  webhook.asks('list', 'webhook.list', () => ({}), subscriptions);
  const facts = webhook.facts((row: Webhook) => [
    ['id', row.id],
    ['holder', holderOf(row)],
    ['host', row.host],
    ['events', row.types.join(', ')],
    ['state', stateOf(row)],
    ['signed', row.signed ? 'yes' : 'no'],
    ['waiting', row.waiting],
    ['dead', row.dead],
  ]);
  webhook.asks('show <id>', 'webhook.show', (id: string) => ({ id }), facts);

  addChanges(webhook);

  const events = webhook.table<AnswerOf<'webhook.dead'>[number]>('events that were given up', {
    'given up': ({ deadAt }) => ({ at: deadAt }),
    event: ({ eventId }) => eventId,
    account: ({ accountRegNo }) => accountRegNo,
    type: ({ type }) => type,
    tries: ({ attempts }) => ({ people: attempts, programs: counted(attempts, 'try', 'tries') }),
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

interface ChangeOptions {
  readonly account?: string;
  readonly partner?: string;
  readonly url?: string;
  readonly event: readonly string[];
}

function addChanges(webhook: Commands): void {
  const events = `an event to be told of: ${EVENT_TYPES.join(', ')}; may be repeated`;
  const told = (what: string) => webhook.outcome((row: Webhook) => `Subscription ${row.id} of ${holderOf(row)} ${what}.`);
  const named = (id: string) => ({ id });
  webhook
    .asks(
      'add <url>',
      'webhook.add',
      (url: string, { account: accountRegNo, partner: partnerRegNo, event }: ChangeOptions) => ({
        url,
        ...typesOf(event),
        ...(accountRegNo !== undefined && { accountRegNo }),
        ...(partnerRegNo !== undefined && { partnerRegNo }),
      }),
      told('was added'),
    )
    .option('--account <accountRegNo>', 'the account whose events they are')
    .option('--partner <partnerRegNo>', 'the partner that hears them: its own, or with --account those of one of its children')
    .option('--event <type>', `${events}; without it all`, collect, []);
  webhook
    .asks(
      'set <id>',
      'webhook.set',
      (id: string, { url, event }: ChangeOptions) => ({ id, ...typesOf(event), ...(url !== undefined && { url }) }),
      told('was changed, and is enabled'),
    )
    .option('--url <url>', 'where they are posted: an https address')
    .option('--event <type>', events, collect, []);
  webhook.asks('disable <id>', 'webhook.disable', named, told('is disabled'));
  webhook.asks('enable <id>', 'webhook.enable', named, told('is enabled'));
  webhook.asks(
    'remove <id>',
    'webhook.remove',
    named,
    webhook.outcome(({ id }) => `Subscription ${id} was removed.`),
  );
}

function typesOf(given: readonly string[]): { types?: EventType[] } {
  return given.length === 0 ? {} : { types: wordsOf('--event', given, EVENT_TYPES) };
}

function holderOf({ scope, partnerRegNo, accountRegNo }: Webhook): string {
  if (scope === 'child') return `partner ${partnerRegNo} for ${accountRegNo}`;
  return `${scope} ${accountRegNo}`;
}

function stateOf({ enabled, disabledReason, failingSince }: Webhook): Cell {
  if (!enabled) return disabledReason === null ? { state: 'disabled' } : [{ state: 'disabled' }, `(${disabledReason})`];
  return failingSince === null ? { state: 'well' } : ['fails since', { at: failingSince }];
}
