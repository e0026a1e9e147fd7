// Partners in the ledger: accounts that may act for others, their children.
import type { NamePage } from '#domain/name-page.ts';
import { readNames } from '#engines/names.ts';
import type { Rows, Tables } from './schema.ts';

export interface PartnerRow {
  readonly partnerRegNo: string;
  readonly serviceKey: Uint8Array;
  /** One home for all its children. */
  readonly consolidated: boolean;
  /** The login that sees its children's folders, or its one home. */
  readonly login: string | null;
}

/** All, or those of these that are there. */
export async function readPartners(rows: Rows, partnerRegNos?: readonly string[]): Promise<PartnerRow[]> {
  if (partnerRegNos?.length === 0) return [];
  const all = rows.selectFrom('partners').selectAll().orderBy('partner_reg_no');
  const found = await (partnerRegNos ? all.where('partner_reg_no', 'in', partnerRegNos) : all).execute();
  return found.map(partnerOf);
}

/** By their numbers, and those of their children. */
export async function readPartnerNumbers(rows: Rows, page: NamePage): Promise<string[]> {
  const beside = { table: 'accounts', name: 'partner_reg_no', text: 'account_reg_no' } as const;
  return readNames(rows, { table: 'partners', name: 'partner_reg_no', beside }, page);
}

export async function readPartner(rows: Rows, partnerRegNo: string): Promise<PartnerRow | undefined> {
  const row = await rows.selectFrom('partners').selectAll().where('partner_reg_no', '=', partnerRegNo).executeTakeFirst();
  return row && partnerOf(row);
}

function partnerOf(row: Tables['partners']): PartnerRow {
  return {
    partnerRegNo: row.partner_reg_no,
    serviceKey: row.service_key,
    consolidated: row.consolidated === 1,
    login: row.login,
  };
}

/** Puts the partner in place of what was there of it before. */
export async function putPartnerRow(
  rows: Rows,
  { partnerRegNo, serviceKey, consolidated, login }: PartnerRow,
  createdAt: number,
): Promise<void> {
  const values = { service_key: serviceKey, consolidated: Number(consolidated), login };
  await rows
    .insertInto('partners')
    .values({ partner_reg_no: partnerRegNo, ...values, created_at: createdAt })
    .onConflict((conflict) => conflict.column('partner_reg_no').doUpdateSet(values))
    .execute();
}

/** Whether a partner's children have this home together. */
export async function isSharedHome(rows: Rows, home: string): Promise<boolean> {
  const partner = rows.selectFrom('partners').select('login').where('partner_reg_no', '=', home).where('consolidated', '=', 1);
  return (await partner.executeTakeFirst()) !== undefined;
}

/** Partners that had this login have none; of those whose children have a home together only the one of `sharedHome`, where it is given. */
export async function clearPartnerLogin(rows: Rows, login: string, sharedHome?: string): Promise<void> {
  const all = rows.updateTable('partners').set({ login: null }).where('login', '=', login);
  const meant = sharedHome === undefined ? all : all.where('partner_reg_no', '=', sharedHome).where('consolidated', '=', 1);
  await meant.execute();
}

export async function deletePartner(rows: Rows, partnerRegNo: string): Promise<void> {
  await rows.deleteFrom('partners').where('partner_reg_no', '=', partnerRegNo).execute();
}
