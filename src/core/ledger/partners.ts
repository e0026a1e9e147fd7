// Rows about partners and the accounts that they may act for.
import type { Selectable } from 'kysely';
import type { NamePage } from '#domain/name-page.ts';
import { readNames } from '#engines/names.ts';
import { prepared } from '#engines/prepared.ts';
import type { Rows, Tables } from './schema.ts';

export async function insertPartner(rows: Rows, partner: { partnerRegNo: string; name: string }, nowMs: number): Promise<void> {
  await rows
    .insertInto('partners')
    .values({ partner_reg_no: partner.partnerRegNo, name: partner.name, enabled: 1, created_at: nowMs })
    .execute();
}

export async function partnerExists(rows: Rows, partnerRegNo: string): Promise<boolean> {
  const row = await rows.selectFrom('partners').select('name').where('partner_reg_no', '=', partnerRegNo).executeTakeFirst();
  return row !== undefined;
}

/** What one partner may have at the most; null is what every partner may have. */
export interface PartnerLimits {
  /** Requests per window, of all its tokens together. */
  readonly requestsMax: number | null;
  /** Accounts that it acts for, beyond which it makes no more. */
  readonly childrenMax: number | null;
}

const partnerByRegNo = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('partners')
    .select(['enabled', 'requests_max', 'children_max'])
    .where('partner_reg_no', '=', slot<string>('partnerRegNo')),
);

/** The limits of a partner; undefined when it is not there, or disabled. */
export async function findActivePartner(rows: Rows, partnerRegNo: string): Promise<PartnerLimits | undefined> {
  const [row] = await partnerByRegNo(rows, { partnerRegNo });
  return row?.enabled === 1 ? limitsOf(row) : undefined;
}

function limitsOf(row: Pick<Selectable<Tables['partners']>, 'requests_max' | 'children_max'>): PartnerLimits {
  return { requestsMax: row.requests_max, childrenMax: row.children_max };
}

export interface PartnerUpdate extends Partial<PartnerLimits> {
  readonly enabled?: boolean;
  readonly name?: string;
}

/** Changes what is given; false when there is no such partner. */
export async function updatePartner(
  rows: Rows,
  partnerRegNo: string,
  { enabled, name, requestsMax, childrenMax }: PartnerUpdate,
): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('partners')
    .set({
      partner_reg_no: partnerRegNo,
      ...(enabled !== undefined && { enabled: Number(enabled) }),
      ...(name !== undefined && { name }),
      ...(requestsMax !== undefined && { requests_max: requestsMax }),
      ...(childrenMax !== undefined && { children_max: childrenMax }),
    })
    .where('partner_reg_no', '=', partnerRegNo)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Removes the partner with its links; its keys must be gone. False when there is no such partner. */
export async function deletePartner(rows: Rows, partnerRegNo: string): Promise<boolean> {
  await rows.deleteFrom('partner_links').where('partner_reg_no', '=', partnerRegNo).execute();
  const { numDeletedRows } = await rows.deleteFrom('partners').where('partner_reg_no', '=', partnerRegNo).executeTakeFirst();
  return numDeletedRows > 0n;
}

const linkOf = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('partner_links')
    .select('account_reg_no')
    .where('partner_reg_no', '=', slot<string>('partnerRegNo'))
    .where('account_reg_no', '=', slot<string>('accountRegNo')),
);

/** The partner may act for the account. */
export async function isLinked(rows: Rows, partnerRegNo: string, accountRegNo: string): Promise<boolean> {
  return (await linkOf(rows, { partnerRegNo, accountRegNo })).length > 0;
}

export interface PartnerRow extends PartnerLimits {
  readonly partnerRegNo: string;
  readonly name: string;
  readonly enabled: boolean;
  /** The accounts that it may act for. */
  readonly accounts: readonly string[];
}

/** By their numbers, names, and the accounts that they may act for. */
export async function selectPartnerNumbers(rows: Rows, page: NamePage): Promise<string[]> {
  const beside = { table: 'partner_links', name: 'partner_reg_no', text: 'account_reg_no' } as const;
  return readNames(rows, { table: 'partners', name: 'partner_reg_no', texts: ['name'], beside }, page);
}

/** All, or those of these that are there. */
export async function selectPartners(rows: Rows, partnerRegNos?: readonly string[]): Promise<PartnerRow[]> {
  if (partnerRegNos?.length === 0) return [];
  let partners = rows.selectFrom('partners').selectAll().orderBy('partner_reg_no');
  let links = rows.selectFrom('partner_links').selectAll().orderBy('account_reg_no');
  if (partnerRegNos) {
    partners = partners.where('partner_reg_no', 'in', partnerRegNos);
    links = links.where('partner_reg_no', 'in', partnerRegNos);
  }
  const accountsOf = Map.groupBy(await links.execute(), (link) => link.partner_reg_no);
  return (await partners.execute()).map(({ partner_reg_no: partnerRegNo, name, enabled, ...limits }) => {
    return {
      partnerRegNo,
      name,
      enabled: enabled === 1,
      ...limitsOf(limits),
      accounts: (accountsOf.get(partnerRegNo) ?? []).map((link) => link.account_reg_no),
    };
  });
}

/** Links a partner to a child account; doing it again changes nothing. */
export async function insertLink(rows: Rows, partnerRegNo: string, accountRegNo: string): Promise<void> {
  await rows
    .insertInto('partner_links')
    .values({ partner_reg_no: partnerRegNo, account_reg_no: accountRegNo })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Who may act for an account. */
export async function partnersOf(rows: Rows, accountRegNo: string): Promise<string[]> {
  const links = rows.selectFrom('partner_links').select('partner_reg_no').where('account_reg_no', '=', accountRegNo);
  return (await links.orderBy('partner_reg_no').execute()).map(({ partner_reg_no: partnerRegNo }) => partnerRegNo);
}

/** How many accounts a partner may act for. */
export async function countLinks(rows: Rows, partnerRegNo: string): Promise<number> {
  const links = rows.selectFrom('partner_links').where('partner_reg_no', '=', partnerRegNo);
  const { count } = await links.select((row) => row.fn.countAll().as('count')).executeTakeFirstOrThrow();
  return Number(count);
}

/** Ends what any partner may do for an account. */
export async function deleteLinksOf(rows: Rows, accountRegNo: string): Promise<void> {
  await rows.deleteFrom('partner_links').where('account_reg_no', '=', accountRegNo).execute();
}

/** Ends what a partner may do for an account; false when it could do nothing. */
export async function deleteLink(rows: Rows, partnerRegNo: string, accountRegNo: string): Promise<boolean> {
  const { numDeletedRows } = await rows
    .deleteFrom('partner_links')
    .where('partner_reg_no', '=', partnerRegNo)
    .where('account_reg_no', '=', accountRegNo)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
