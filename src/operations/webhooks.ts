// Operations on webhooks: how subscriptions fare, events that were given up, sending them again, and signing.
import { type Static, Type } from 'typebox';
import { type DeadLetter, selectDead } from '#core/ledger/dead-letters.ts';
import { listWebhooks, replayDeadLetters, signWebhook, type WebhookState, webhookIds } from '#core/operate/webhooks.ts';
import { isoTime, isoTimes } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { EVENT_TYPES } from '#domain/event.ts';
import { Count, Listed, Moment, MomentOrNull, TextOrNull } from './forms.ts';
import { coreOf, type Ledgers } from './installation.ts';
import { operation } from './operation.ts';

/** Dead letters of one list. */
const LISTED_MAX = 10_000;

export const Webhook = Type.Object({
  id: Type.String(),
  scope: Type.String(),
  partnerRegNo: Type.String(),
  accountRegNo: Type.String(),
  host: Type.String(),
  types: Type.Array(Type.Enum([...EVENT_TYPES])),
  enabled: Type.Boolean(),
  disabledReason: TextOrNull,
  failingSince: MomentOrNull,
  signed: Type.Boolean(),
  waiting: Count,
  dead: Count,
});
const factsOf = (state: WebhookState) => ({ ...state, types: [...state.types], failingSince: isoTime(state.failingSince) });

export const list = operation(Listed, Type.Array(Webhook), async (on, { page }) => {
  const core = coreOf(on);
  return (await listWebhooks(core, page && (await webhookIds(core, page)))).map(factsOf);
});

export const show = operation(Type.Object({ id: Type.String() }), Webhook, shown);

export async function shown(on: Ledgers, { id }: { readonly id: string }): Promise<Static<typeof Webhook>> {
  const [found] = await listWebhooks(coreOf(on), [id]);
  if (!found) throw new AppError('missing', `There is no webhook subscription ${id}; 'dropgate webhook list' shows all.`);
  return factsOf(found);
}

const Dead = Type.Object({
  eventId: Type.String(),
  webhookId: Type.String(),
  accountRegNo: Type.String(),
  type: Type.String(),
  createdAt: Moment,
  deadAt: Moment,
  attempts: Count,
  reason: Type.String(),
});
const deadFacts = ({ createdAt, deadAt, ...letter }: DeadLetter) => ({ ...letter, ...isoTimes({ createdAt, deadAt }) });

export const dead = operation(
  Type.Object({
    webhookId: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
  }),
  Type.Array(Dead),
  async (on, { webhookId = null, limit = LISTED_MAX }) => (await selectDead(coreOf(on).ledger.read, webhookId, limit)).map(deadFacts),
);

export const replay = operation(
  Type.Object({ eventIds: Type.Array(Type.String()), webhookId: Type.Optional(Type.String()) }),
  Type.Object({ count: Count }),
  async (on, { eventIds, webhookId }) => {
    if ((webhookId === undefined) === (eventIds.length === 0)) throw new AppError('usage', 'Name events by their ids, or --webhook.');
    return { count: await replayDeadLetters(coreOf(on), webhookId === undefined ? { eventIds } : { webhookId }) };
  },
);

export const sign = operation(
  Type.Object({ id: Type.String(), off: Type.Optional(Type.Boolean()) }),
  Type.Object({ id: Type.String(), secret: TextOrNull }),
  async (on, { id, off = false }) => ({ id, secret: await signWebhook(coreOf(on), on.seal, id, !off) }),
);
