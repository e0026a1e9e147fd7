// Rows about partners and the accounts that they may act for.
import { prepared } from '#engines/prepared.ts';
import type { Rows } from './schema.ts';

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

const partnerByRegNo = prepared(
  (rows: Rows, slot) => rows.selectFrom('partners').select('enabled').where('partner_reg_no', '=', slot<string>('partnerRegNo')),
  { keptFrom: ['partners'] },
);

/** The partner is there, and not disabled. */
export async function isActivePartner(rows: Rows, partnerRegNo: string): Promise<boolean> {
  const [row] = await partnerByRegNo(rows, { partnerRegNo });
  return row?.enabled === 1;
}

/** Changes what is given; false when there is no such partner. */
export async function updatePartner(
  rows: Rows,
  partnerRegNo: string,
  { enabled, name }: { readonly enabled?: boolean; readonly name?: string },
): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('partners')
    .set({ partner_reg_no: partnerRegNo, ...(enabled !== undefined && { enabled: Number(enabled) }), ...(name !== undefined && { name }) })
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

const linkOf = prepared(
  (rows: Rows, slot) =>
    rows
      .selectFrom('partner_links')
      .select('account_reg_no')
      .where('partner_reg_no', '=', slot<string>('partnerRegNo'))
      .where('account_reg_no', '=', slot<string>('accountRegNo')),
  { keptFrom: ['partner_links'] },
);

/** The partner may act for the account. */
export async function isLinked(rows: Rows, partnerRegNo: string, accountRegNo: string): Promise<boolean> {
  return (await linkOf(rows, { partnerRegNo, accountRegNo })).length > 0;
}

export interface PartnerRow {
  readonly partnerRegNo: string;
  readonly name: string;
  readonly enabled: boolean;
  /** The accounts that it may act for. */
  readonly accounts: readonly string[];
}

export async function selectPartners(rows: Rows): Promise<PartnerRow[]> {
  const partners = await rows.selectFrom('partners').select(['partner_reg_no', 'name', 'enabled']).orderBy('partner_reg_no').execute();
  const links = await rows.selectFrom('partner_links').selectAll().orderBy('account_reg_no').execute();
  const accountsOf = Map.groupBy(links, (link) => link.partner_reg_no);
  return partners.map(({ partner_reg_no: partnerRegNo, name, enabled }) => {
    return {
      partnerRegNo,
      name,
      enabled: enabled === 1,
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

/** Ends what a partner may do for an account; false when it could do nothing. */
export async function deleteLink(rows: Rows, partnerRegNo: string, accountRegNo: string): Promise<boolean> {
  const { numDeletedRows } = await rows
    .deleteFrom('partner_links')
    .where('partner_reg_no', '=', partnerRegNo)
    .where('account_reg_no', '=', accountRegNo)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
