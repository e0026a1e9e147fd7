// `dropgate webhook`: how subscriptions fare, what was given up, sending it again, and signing.

import { listDeadLetters, listWebhooks, replayDeadLetters, signWebhook, type WebhookState } from '#core/operate/webhooks.ts';
import { counted } from '#domain/amounts.ts';
import { AppError } from '#domain/error.ts';
import { type AddCommand, configOf, configured, type JsonOptions, printJson, tellDone, tellIfNone } from './command.ts';
import { coreOf, withLedgers } from './ledgers.ts';

/** Dead letters of one list. */
const LISTED_MAX = 10_000;

interface DeadOptions extends JsonOptions {
  readonly webhook?: string;
}

export const addWebhookCommands: AddCommand = (parent, terminal) => {
  const webhook = parent.command('webhook').description('webhooks: how subscriptions fare, and events that were given up');

  configured(webhook, 'list', 'list the subscriptions: whose, where to, and how they fare')
    .option('--json', 'print one JSON object per line')
    .action(async (options: JsonOptions) => {
      const { config } = configOf(options);
      const webhooks = await withLedgers(config, (ledgers) => listWebhooks(coreOf(ledgers)));
      tellIfNone(terminal, webhooks, 'subscriptions', config);
      for (const each of webhooks) {
        if (options.json) printJson(terminal, { ...each, failingSince: each.failingSince === null ? null : isoTime(each.failingSince) });
        else terminal.print([each.id, holderOf(each), each.host, stateOf(each), `${each.waiting} wait`, `${each.dead} dead`].join('\t'));
      }
    });

  configured(webhook, 'dead', 'list the events that were given up, the latest first')
    .option('--webhook <id>', 'those of one subscription')
    .option('--json', 'print one JSON object per line')
    .action(async (options: DeadOptions) => {
      const { config } = configOf(options);
      const dead = await withLedgers(config, (ledgers) => listDeadLetters(coreOf(ledgers), options.webhook ?? null, LISTED_MAX));
      tellIfNone(terminal, dead, 'events that were given up', config);
      for (const { createdAt, deadAt, ...each } of dead) {
        const told = { ...each, createdAt: isoTime(createdAt), deadAt: isoTime(deadAt) };
        if (options.json) printJson(terminal, told);
        else
          terminal.print(
            [told.deadAt, each.eventId, each.accountRegNo, each.type, counted(each.attempts, 'try', 'tries'), each.reason].join('\t'),
          );
      }
    });

  configured(webhook, 'replay [eventId...]', 'send again what was given up: events by their ids, or all of a subscription')
    .option('--webhook <id>', 'all of this subscription')
    .action(async (eventIds: string[], { webhook: webhookId, ...options }: DeadOptions) => {
      if ((webhookId === undefined) === (eventIds.length === 0)) throw new AppError('usage', 'Name events by their ids, or --webhook.');
      const chosen = webhookId === undefined ? { eventIds } : { webhookId };
      const { config } = configOf(options);
      const count = await withLedgers(config, (ledgers) => replayDeadLetters(coreOf(ledgers), chosen));
      tellDone(terminal, config, `${counted(count, 'event is', 'events are')} sent again.`);
    });

  configured(webhook, 'sign <id>', 'have the deliveries of a subscription signed; the new secret is shown once')
    .option('--off', 'sign them no more')
    .option('--json', 'print one JSON object')
    .action(async (id: string, options: JsonOptions & { readonly off?: boolean }) => {
      const { config } = configOf(options);
      const secret = await withLedgers(config, (ledgers, seal) => signWebhook(coreOf(ledgers), seal, id, options.off !== true));
      if (options.json) return printJson(terminal, { id, secret });
      tellDone(terminal, config, `Deliveries of ${id} are signed${secret === null ? ' no more' : ''}.`);
      if (secret !== null) terminal.print(`Signing secret, shown once: ${secret}`);
    });
};

function holderOf({ scope, partnerRegNo, accountRegNo }: WebhookState): string {
  if (scope === 'child') return `partner ${partnerRegNo} for ${accountRegNo}`;
  return `${scope} ${accountRegNo}`;
}

function stateOf({ enabled, disabledReason, failingSince }: WebhookState): string {
  if (!enabled) return `disabled (${disabledReason})`;
  return failingSince === null ? 'well' : `fails since ${isoTime(failingSince)}`;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
