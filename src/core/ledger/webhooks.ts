// Rows about webhook subscriptions: their holder, their address, and the state of their receiver.
import type { Selectable, Updateable } from 'kysely';
import type { Hold } from '#core/model/hold.ts';
import { EVENT_TYPES, type EventType } from '#domain/event.ts';
import { prepared, preparedChange } from '#engines/prepared.ts';
import { isFreeFor } from './held.ts';
import type { Rows, Tables } from './schema.ts';

export type WebhookRow = Readonly<Selectable<Tables['webhooks']>>;

/** The holder of a subscription, and the account whose events it gets; each holder has one. */
export type Holder =
  | { readonly scope: 'account'; readonly accountRegNo: string }
  | { readonly scope: 'partner'; readonly partnerRegNo: string }
  | { readonly scope: 'child'; readonly partnerRegNo: string; readonly accountRegNo: string };

export async function findWebhook(rows: Rows, holder: Holder): Promise<WebhookRow | undefined> {
  return of(rows, holder).executeTakeFirst();
}

const webhookById = prepared((rows: Rows, slot) => rows.selectFrom('webhooks').selectAll().where('id', '=', slot<string>('id')));

export async function webhookWithId(rows: Rows, id: string): Promise<WebhookRow | undefined> {
  const [row] = await webhookById(rows, { id });
  return row;
}

export async function insertWebhook(
  rows: Rows,
  holder: Holder,
  { id, url, types }: { id: string; url: string; types: readonly EventType[] },
  nowMs: number,
): Promise<void> {
  await rows
    .insertInto('webhooks')
    .values({ id, ...columnsOf(holder), url, types: JSON.stringify(types), enabled: 1, created_at: nowMs, updated_at: nowMs })
    .execute();
}

export type WebhookChange = Readonly<Updateable<Omit<Tables['webhooks'], 'id' | 'scope' | 'partner_reg_no' | 'account_reg_no'>>>;

export async function updateWebhook(rows: Rows, id: string, change: WebhookChange): Promise<void> {
  await rows.updateTable('webhooks').set(change).where('id', '=', id).execute();
}

/** Gives a core its turn; false while it is another's. */
export async function holdWebhook(rows: Rows, id: string, hold: Hold): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('webhooks')
    .set({ held_by: hold.holder, held_until: hold.heldUntil })
    .where('id', '=', id)
    .where(isFreeFor(hold))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends the turn of a core, unless another has it meanwhile. */
export async function freeWebhook(rows: Rows, id: string, holder: string): Promise<void> {
  await rows.updateTable('webhooks').set({ held_by: null, held_until: null }).where('id', '=', id).where('held_by', '=', holder).execute();
}

const working = preparedChange((rows: Rows, slot) =>
  rows
    .updateTable('webhooks')
    .set({ failing_since: null })
    .where('id', '=', slot<string>('id'))
    .where('url', '=', slot<string>('url'))
    .where('failing_since', 'is not', null),
);

/** Marks the receiver as working, also when another try has failed meanwhile; only for the address that the subscription still has. */
export async function markWorking(rows: Rows, { id, url }: Pick<WebhookRow, 'id' | 'url'>): Promise<void> {
  await working(rows, { id, url });
}

/** Removes a subscription with everything that is owed to it; false when there was none. */
export async function deleteWebhook(rows: Rows, holder: Holder): Promise<boolean> {
  const found = await of(rows, holder).executeTakeFirst();
  if (found) await rows.deleteFrom('webhooks').where('id', '=', found.id).execute();
  return found !== undefined;
}

/** Every subscription to the events of an account. */
export async function selectWebhooksOf(rows: Rows, accountRegNo: string): Promise<WebhookRow[]> {
  const found = rows.selectFrom('webhooks').selectAll().where('account_reg_no', '=', accountRegNo).where('scope', '!=', 'partner');
  return found.orderBy('scope').orderBy('partner_reg_no').execute();
}

/** Removes every subscription to the events of an account. */
export async function deleteWebhooksOf(rows: Rows, accountRegNo: string): Promise<void> {
  await rows.deleteFrom('webhooks').where('account_reg_no', '=', accountRegNo).where('scope', '!=', 'partner').execute();
}

/** Removes every subscription of a partner, to its own events and to its children's. */
export async function deleteWebhooksOfPartner(rows: Rows, partnerRegNo: string): Promise<void> {
  await rows.deleteFrom('webhooks').where('partner_reg_no', '=', partnerRegNo).execute();
}

/** All by their accounts, or those of these that are there by their ids. */
export async function selectWebhooks(rows: Rows, ids?: readonly string[]): Promise<WebhookRow[]> {
  const all = rows.selectFrom('webhooks').selectAll();
  if (ids) return ids.length === 0 ? [] : all.where('id', 'in', ids).orderBy('id').execute();
  return all.orderBy('account_reg_no').orderBy('scope').orderBy('partner_reg_no').execute();
}

/** What a subscription is looked for by. */
export type NamedWebhook = Pick<WebhookRow, 'id' | 'partner_reg_no' | 'account_reg_no' | 'url'>;

/** All, or so many behind one. */
export async function selectNamedWebhooks(rows: Rows, page?: { readonly after: string; readonly limit: number }): Promise<NamedWebhook[]> {
  const all = rows.selectFrom('webhooks').select(['id', 'partner_reg_no', 'account_reg_no', 'url']).orderBy('id');
  return (page ? all.where('id', '>', page.after).limit(page.limit) : all).execute();
}

const subscribersOf = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('webhooks')
    .innerJoin('accounts', 'accounts.account_reg_no', 'webhooks.account_reg_no')
    .leftJoin('partners', 'partners.partner_reg_no', 'webhooks.partner_reg_no')
    .select(['webhooks.id', 'webhooks.types'])
    .where('webhooks.account_reg_no', '=', slot<string>('accountRegNo'))
    .where('webhooks.enabled', '=', 1)
    .where('accounts.enabled', '=', 1)
    .where((where) => where.or([where('webhooks.scope', '=', 'account'), where('partners.enabled', '=', 1)])),
);

export interface Subscriber {
  readonly id: string;
  readonly types: readonly EventType[];
}

/** The enabled subscriptions to the events of an account. */
export async function selectSubscribers(rows: Rows, accountRegNo: string): Promise<Subscriber[]> {
  return (await subscribersOf(rows, { accountRegNo })).map(({ id, types }) => ({ id, types: typesOf(types) }));
}

export function typesOf(text: string): EventType[] {
  const parsed: unknown = JSON.parse(text);
  return Array.isArray(parsed) ? EVENT_TYPES.filter((type) => parsed.includes(type)) : [];
}

function of(rows: Rows, holder: Holder) {
  const { scope, partner_reg_no, account_reg_no } = columnsOf(holder);
  return rows
    .selectFrom('webhooks')
    .selectAll()
    .where('account_reg_no', '=', account_reg_no)
    .where('scope', '=', scope)
    .where('partner_reg_no', '=', partner_reg_no);
}

export function holderOf({ scope, partner_reg_no: partnerRegNo, account_reg_no: accountRegNo }: WebhookRow): Holder {
  if (scope === 'partner') return { scope, partnerRegNo };
  return scope === 'child' ? { scope, partnerRegNo, accountRegNo } : { scope: 'account', accountRegNo };
}

function columnsOf(holder: Holder): Pick<WebhookRow, 'scope' | 'partner_reg_no' | 'account_reg_no'> {
  return {
    scope: holder.scope,
    partner_reg_no: holder.scope === 'account' ? '' : holder.partnerRegNo,
    account_reg_no: accountOf(holder),
  };
}

/** Whose events it gets; a partner's own are under the partner's number. */
export function accountOf(holder: Holder): string {
  return holder.scope === 'partner' ? holder.partnerRegNo : holder.accountRegNo;
}
