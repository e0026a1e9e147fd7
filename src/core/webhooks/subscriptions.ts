// Configures, reads and removes a holder's subscription, and its outbound authentication (specification, States).

import { v4 } from 'uuid';
import type { Auth, AuthResponse, AuthType, ConfigureRequest, ConfigureResponse, Subscription } from '#contract/webhooks.ts';
import { AUTH_TYPES } from '#contract/webhooks.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { secretPlace } from '#core/ledger/sealed.ts';
import {
  accountOf,
  deleteWebhook,
  findWebhook,
  type Holder,
  insertWebhook,
  typesOf,
  updateWebhook,
  type WebhookRow,
} from '#core/ledger/webhooks.ts';
import { isoTime } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { EVENT_TYPES } from '#domain/event.ts';
import type { Scope } from '#engines/database.ts';
import type { Outbound } from '#runtime/outbound/outbound.ts';
import type { Seal } from '#runtime/seal.ts';
import type { SettleParts } from './settle.ts';
import { checkAuth, checkUrl } from './subscription-rules.ts';

export interface SubscriptionParts extends SettleParts {
  readonly seal: Pick<Seal, 'seal'>;
  readonly outbound: Pick<Outbound, 'forbids'>;
}

/** Creates the subscription, or changes it and keeps its id; either enables it. Throws `invalid`. */
export async function configure(parts: SubscriptionParts, holder: Holder, { url, types }: ConfigureRequest): Promise<ConfigureResponse> {
  const { ledger, clock, random, log, outbound } = parts;
  checkUrl(outbound, 'url', url);
  const chosen = types && EVENT_TYPES.filter((type) => types.includes(type));
  const webhook = await ledger.write(scopesOf(holder), async (rows) => {
    const now = clock.now();
    const existing = await findWebhook(rows, holder);
    if (!existing) await insertWebhook(rows, holder, { id: v4({ random: random(16) }), url, types: chosen ?? EVENT_TYPES }, now);
    else await updateWebhook(rows, existing.id, { ...ENABLED, url, ...(chosen && { types: JSON.stringify(chosen) }), updated_at: now });
    return found(await findWebhook(rows, holder));
  });
  log.info({ event: 'webhook.configured', webhook: webhook.id, ...holder, host: new URL(url).host });
  return shown(webhook);
}

const ENABLED = { enabled: 1, disabled_reason: null, failing_since: null, paused_until: null } as const;

/** Throws `missing`, as all of the following do. */
export async function readSubscription({ ledger }: SubscriptionParts, holder: Holder): Promise<Subscription> {
  const webhook = found(await findWebhook(ledger.read, holder));
  return {
    ...shown(webhook),
    enabled: webhook.enabled === 1,
    authType: authTypeOf(webhook),
    createdAt: isoTime(webhook.created_at),
    updatedAt: isoTime(webhook.updated_at),
  };
}

/** Nothing more is delivered, and what waits is given up, until it is enabled by another `configure`. */
export async function disableSubscription({ ledger, clock, log }: SubscriptionParts, holder: Holder): Promise<void> {
  const { id } = await ledger.write(scopesOf(holder), async (rows) => {
    const webhook = found(await findWebhook(rows, holder));
    await updateWebhook(rows, webhook.id, { enabled: 0, disabled_reason: null, updated_at: clock.now() });
    return webhook;
  });
  log.info({ event: 'webhook.disabled', webhook: id, reason: 'an administrator wished it' });
}

/** Removes the subscription, its authentication, and the events that it is still owed. */
export async function removeSubscription({ ledger, log }: SubscriptionParts, holder: Holder): Promise<void> {
  if (!(await ledger.write(scopesOf(holder), (rows) => deleteWebhook(rows, holder)))) throw noSubscription();
  log.info({ event: 'webhook.removed', ...holder });
}

export async function readAuth({ ledger }: SubscriptionParts, holder: Holder, webhookId: string): Promise<AuthResponse> {
  const type = authTypeOf(await named(ledger.read, holder, webhookId));
  if (type === null) throw new AppError('missing', 'There is no outbound authentication.');
  return { type };
}

/** Throws `invalid` as well. */
export async function setAuth(parts: SubscriptionParts, holder: Holder, webhookId: string, auth: Auth): Promise<AuthResponse> {
  const { ledger, clock, seal, log, outbound } = parts;
  await named(ledger.read, holder, webhookId);
  checkAuth(outbound, auth);
  const { type } = auth;
  const sealed = seal.seal(JSON.stringify(auth), secretPlace('authentication of webhook', webhookId));
  await ledger.write(scopesOf(holder), async (rows) => {
    const { id } = await named(rows, holder, webhookId);
    await updateWebhook(rows, id, { auth_type: type, auth_sealed: sealed, updated_at: clock.now() });
  });
  log.info({ event: 'webhook.auth-set', webhook: webhookId, type });
  return { type };
}

/** Removes the authentication, and keeps the subscription. */
export async function removeAuth({ ledger, clock, log }: SubscriptionParts, holder: Holder, webhookId: string): Promise<void> {
  await ledger.write(scopesOf(holder), async (rows) => {
    const { id } = await named(rows, holder, webhookId);
    await updateWebhook(rows, id, { auth_type: null, auth_sealed: null, updated_at: clock.now() });
  });
  log.info({ event: 'webhook.auth-removed', webhook: webhookId });
}

/** The account whose events it gets: each message that is stored writes them. */
function scopesOf(holder: Holder): readonly Scope[] {
  return [`account ${accountOf(holder)}`];
}

/** The holder's subscription, when the id is its own. */
async function named(rows: Rows, holder: Holder, webhookId: string): Promise<WebhookRow> {
  const webhook = await findWebhook(rows, holder);
  if (webhook?.id !== webhookId.toLowerCase()) throw noSubscription();
  return webhook;
}

function found(webhook: WebhookRow | undefined): WebhookRow {
  if (!webhook) throw noSubscription();
  return webhook;
}

function noSubscription(): AppError {
  return new AppError('missing', 'There is no such webhook subscription.');
}

function shown({ id, url, types, account_reg_no: accountRegNo }: WebhookRow): ConfigureResponse {
  return { id, url, types: typesOf(types), accountRegNo };
}

function authTypeOf({ auth_type: given }: WebhookRow): AuthType | null {
  return AUTH_TYPES.find((type) => type === given) ?? null;
}
