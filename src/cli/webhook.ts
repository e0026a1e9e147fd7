// `dropgate webhook`: how subscriptions fare, what was given up, sending it again, and signing.

import { type DeadLetter, selectDead } from '#core/ledger/dead-letters.ts';
import { listWebhooks, replayDeadLetters, signWebhook, type WebhookState } from '#core/operate/webhooks.ts';
import { counted } from '#domain/amounts.ts';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { coreOf } from '#operations/installation.ts';
import type { AddCommand } from './commands.ts';

/** Dead letters of one list. */
const LISTED_MAX = 10_000;

interface DeadOptions {
  readonly webhook?: string;
}

export const addWebhookCommands: AddCommand = (commands) => {
  const webhook = commands.group('webhook');

  const subscriptions = { what: 'subscriptions', line: lineOf, facts: factsOf };
  webhook.list('list', 'list the subscriptions: whose, where to, and how they fare', subscriptions, (on) => listWebhooks(coreOf(on)));

  const events = { what: 'events that were given up', line: lineOfDead, facts: factsOfDead };
  webhook
    .list('dead', 'list the events that were given up, the latest first', events, (on, options: DeadOptions) =>
      selectDead(coreOf(on).ledger.read, options.webhook ?? null, LISTED_MAX),
    )
    .option('--webhook <id>', 'those of one subscription');

  const replaying = 'send again what was given up: events by their ids, or all of a subscription';
  webhook
    .change('replay [eventId...]', replaying, async (on, eventIds: string[], { webhook: webhookId }: DeadOptions) => {
      if ((webhookId === undefined) === (eventIds.length === 0)) throw new AppError('usage', 'Name events by their ids, or --webhook.');
      const count = await replayDeadLetters(coreOf(on), webhookId === undefined ? { eventIds } : { webhookId });
      return `${counted(count, 'event is', 'events are')} sent again.`;
    })
    .option('--webhook <id>', 'all of this subscription');

  const signing = 'have the deliveries of a subscription signed; the new secret is shown once';
  webhook
    .change('sign <id>', signing, async (on, id: string, { off = false }: { off?: boolean }) => {
      const secret = await signWebhook(coreOf(on), on.seal, id, !off);
      return {
        facts: { id, secret },
        done: `Deliveries of ${id} are signed${secret === null ? ' no more' : ''}.`,
        more: [secret !== null && `Signing secret, shown once: ${secret}`],
      };
    })
    .option('--off', 'sign them no more')
    .option('--json', 'print one JSON object');
};

function factsOf(state: WebhookState): object {
  return { ...state, failingSince: isoTime(state.failingSince) };
}

function lineOf(state: WebhookState): string[] {
  return [state.id, holderOf(state), state.host, stateOf(state), `${state.waiting} wait`, `${state.dead} dead`];
}

function factsOfDead({ createdAt, deadAt, ...letter }: DeadLetter): object {
  return { ...letter, createdAt: isoTime(createdAt), deadAt: isoTime(deadAt) };
}

function lineOfDead({ deadAt, eventId, accountRegNo, type, attempts, reason }: DeadLetter): string[] {
  return [isoTime(deadAt), eventId, accountRegNo, type, counted(attempts, 'try', 'tries'), reason];
}

function holderOf({ scope, partnerRegNo, accountRegNo }: WebhookState): string {
  if (scope === 'child') return `partner ${partnerRegNo} for ${accountRegNo}`;
  return `${scope} ${accountRegNo}`;
}

function stateOf({ enabled, disabledReason, failingSince }: WebhookState): string {
  if (!enabled) return `disabled (${disabledReason})`;
  return failingSince === null ? 'well' : `fails since ${isoTime(failingSince)}`;
}
