// Operations that add, change and remove webhook subscriptions, as their holders do by the API; their outbound authentication is the holders' alone.
import { Type } from 'typebox';
import { ConfigureRequest } from '#contract/webhooks.ts';
import { findWebhook, type Holder, holderOf, type WebhookRow, webhookWithId } from '#core/ledger/webhooks.ts';
import { configure, disableSubscription, removeSubscription, type SubscriptionParts } from '#core/webhooks/subscriptions.ts';
import { AppError } from '#domain/error.ts';
import { openOutbound } from '#runtime/outbound/outbound.ts';
import { coreOf, type Installation, type Ledgers } from './installation.ts';
import { accountInCore, partnerInCore } from './known.ts';
import { operation } from './operation.ts';
import { shown, Webhook } from './webhooks.ts';

const Named = Type.Object({ id: Type.String() });
const Address = ConfigureRequest.properties;

/** Of an account, of a partner, or of a partner for one of its children. */
export const add = operation(
  Type.Object({ ...Address, accountRegNo: Type.Optional(Type.String()), partnerRegNo: Type.Optional(Type.String()) }),
  Webhook,
  async (on, { accountRegNo, partnerRegNo, ...address }) => {
    const holder = await holderIn(on, accountRegNo, partnerRegNo);
    const there = await findWebhook(coreOf(on).ledger.read, holder);
    if (there) throw new AppError('exists', `It has a subscription already: 'dropgate webhook set ${there.id}' changes it.`);
    return shown(on, await withSubscriptions(on, (parts) => configure(parts, holder, address)));
  },
);

/** It is enabled with it, as by its holder. */
export const set = operation(
  Type.Object({ id: Type.String(), url: Type.Optional(Address.url), types: Address.types }),
  Webhook,
  async (on, { id, url, ...types }) => {
    if (url === undefined && types.types === undefined) throw new AppError('usage', 'Say what to change: give --url or --event.');
    const row = await existing(on, id);
    await withSubscriptions(on, (parts) => configure(parts, holderOf(row), { url: url ?? row.url, ...types }));
    return shown(on, { id });
  },
);

export const enable = operation(Named, Webhook, async (on, { id }) => {
  const row = await existing(on, id);
  await withSubscriptions(on, (parts) => configure(parts, holderOf(row), { url: row.url }));
  return shown(on, { id });
});

export const disable = operation(Named, Webhook, async (on, { id }) => {
  const holder = holderOf(await existing(on, id));
  await withSubscriptions(on, (parts) => disableSubscription(parts, holder));
  return shown(on, { id });
});

export const remove = operation(Named, Named, async (on, { id }) => {
  const holder = holderOf(await existing(on, id));
  await withSubscriptions(on, (parts) => removeSubscription(parts, holder));
  return { id };
});

/** Throws `usage`, and `missing` for one that is not there or no child of the partner. */
async function holderIn(on: Ledgers, accountRegNo: string | undefined, partnerRegNo: string | undefined): Promise<Holder> {
  coreOf(on);
  if (accountRegNo === undefined && partnerRegNo === undefined)
    throw new AppError('usage', 'Say whose it is: give --account, --partner, or both.');
  if (accountRegNo !== undefined && !(await accountInCore(on, accountRegNo)))
    throw new AppError('missing', `There is no account ${accountRegNo}; 'dropgate account list' shows all.`);
  if (partnerRegNo === undefined) return { scope: 'account', accountRegNo: accountRegNo ?? '' };
  const partner = await partnerInCore(on, partnerRegNo);
  if (!partner) throw new AppError('missing', `There is no partner ${partnerRegNo}; 'dropgate partner list' shows all.`);
  if (accountRegNo === undefined) return { scope: 'partner', partnerRegNo };
  if (!partner.accounts.includes(accountRegNo)) throw new AppError('missing', `Partner ${partnerRegNo} may not act for ${accountRegNo}.`);
  return { scope: 'child', partnerRegNo, accountRegNo };
}

async function existing(on: Ledgers, id: string): Promise<WebhookRow> {
  const row = await webhookWithId(coreOf(on).ledger.read, id);
  if (!row) throw new AppError('missing', `There is no webhook subscription ${id}; 'dropgate webhook list' shows all.`);
  return row;
}

async function withSubscriptions<Result>(on: Installation, work: (parts: SubscriptionParts) => Promise<Result>): Promise<Result> {
  const core = coreOf(on);
  const outbound = openOutbound(on.config.outbound, core.clock);
  try {
    return await work({ ...core, seal: on.seal, log: on.log, outbound });
  } finally {
    await outbound.close();
  }
}
