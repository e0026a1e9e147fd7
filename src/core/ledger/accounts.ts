// Rows about accounts and the participants that belong to them.
import type { Selectable } from 'kysely';
import { type Profile, partialProfile } from '#contract/accounts.ts';
import type { Feature } from '#domain/account.ts';
import { ownJson } from '#domain/json.ts';
import type { NamePage } from '#domain/name-page.ts';
import { PROFILE_POLICIES, SEVERITIES, STRICT, type Validation, VERIFY_MODES } from '#domain/validation.ts';
import { beginsWith, contains } from '#engines/contains.ts';
import { readNames } from '#engines/names.ts';
import { prepared } from '#engines/prepared.ts';
import type { Rows, Tables } from './schema.ts';

export interface AccountRow {
  readonly accountRegNo: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly features: Readonly<Record<Feature, boolean>>;
  /** Requests per window; null is what every account may spend. */
  readonly requestsMax: number | null;
  /** For how long its messages are kept; null: as the settings say; 0: for ever. */
  readonly keepMessages: number | null;
  readonly validation: Validation;
}

export async function insertAccount(rows: Rows, account: { accountRegNo: string; name: string }, nowMs: number): Promise<void> {
  await rows
    .insertInto('accounts')
    .values({ account_reg_no: account.accountRegNo, name: account.name, enabled: 1, api_integration: 1, created_at: nowMs })
    .execute();
}

const accountByRegNo = prepared((rows: Rows, slot) =>
  rows.selectFrom('accounts').selectAll().where('account_reg_no', '=', slot<string>('accountRegNo')),
);

export async function findAccount(rows: Rows, accountRegNo: string): Promise<AccountRow | undefined> {
  const [row] = await accountByRegNo(rows, { accountRegNo });
  return row && accountOf(row);
}

/** All, or those of these that are there. */
export async function selectAccounts(rows: Rows, accountRegNos?: readonly string[]): Promise<AccountWithProfile[]> {
  if (accountRegNos?.length === 0) return [];
  let accounts = rows.selectFrom('accounts').selectAll().orderBy('account_reg_no');
  if (accountRegNos) accounts = accounts.where('account_reg_no', 'in', accountRegNos);
  return (await accounts.execute()).map(accountWithProfileOf);
}

/** By their numbers, names and participants. */
export async function selectAccountNumbers(rows: Rows, page: NamePage): Promise<string[]> {
  const beside = { table: 'participants', name: 'account_reg_no', text: 'participant' } as const;
  return readNames(rows, { table: 'accounts', name: 'account_reg_no', texts: ['name'], beside }, page);
}

/** An account together with its profile. */
export interface AccountWithProfile extends AccountRow {
  readonly profile: Partial<Profile>;
}

/** The children of a partner, all or one of them, in the order of their numbers. */
export async function selectChildren(
  rows: Rows,
  partnerRegNo: string,
  page: { accountRegNo: string } | { limit: number; offset: number },
): Promise<AccountWithProfile[]> {
  const children = rows
    .selectFrom('accounts')
    .innerJoin('partner_links', 'partner_links.account_reg_no', 'accounts.account_reg_no')
    .selectAll('accounts')
    .where('partner_links.partner_reg_no', '=', partnerRegNo);
  const query =
    'accountRegNo' in page
      ? children.where('accounts.account_reg_no', '=', page.accountRegNo)
      : children.orderBy('accounts.account_reg_no').limit(page.limit).offset(page.offset);
  const found = await query.execute();
  return found.map(accountWithProfileOf);
}

function accountWithProfileOf(row: Selectable<Tables['accounts']>): AccountWithProfile {
  return { ...accountOf(row), profile: profileOf(row.profile) };
}

export interface AccountUpdate {
  readonly name?: string | undefined;
  readonly enabled?: boolean;
  readonly features?: Partial<Readonly<Record<Feature, boolean>>> | undefined;
  readonly requestsMax?: number | null;
  readonly keepMessages?: number | null;
  readonly validation?: Partial<Validation>;
  /** The whole profile, not a part of it. */
  readonly profile?: Partial<Profile>;
}

/** Changes what is given; false when there is no such account. */
export async function updateAccount(rows: Rows, accountRegNo: string, update: AccountUpdate): Promise<boolean> {
  const { name, enabled, features = {}, requestsMax, keepMessages, validation = {}, profile } = update;
  const { apiIntegration, sftpIntegration, capture } = features;
  const { numUpdatedRows } = await rows
    .updateTable('accounts')
    .set({
      account_reg_no: accountRegNo,
      ...(name !== undefined && { name }),
      ...(enabled !== undefined && { enabled: Number(enabled) }),
      ...(requestsMax !== undefined && { requests_max: requestsMax }),
      ...(keepMessages !== undefined && { keep_messages: keepMessages }),
      ...(validation.severity !== undefined && { validation_severity: validation.severity }),
      ...(validation.profiles !== undefined && { validation_profiles: validation.profiles }),
      ...(validation.verify !== undefined && { validation_verify: validation.verify }),
      ...(profile !== undefined && { profile: JSON.stringify(profile) }),
      ...(apiIntegration !== undefined && { api_integration: Number(apiIntegration) }),
      ...(sftpIntegration !== undefined && { sftp_integration: Number(sftpIntegration) }),
      ...(capture !== undefined && { capture: Number(capture) }),
    })
    .where('account_reg_no', '=', accountRegNo)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function insertParticipant(rows: Rows, accountRegNo: string, participant: string): Promise<void> {
  await rows.insertInto('participants').values({ participant, account_reg_no: accountRegNo }).execute();
}

/** Of accounts whose names begin with the text, or have it in them. */
export async function selectParticipantsOf(rows: Rows, name: string, how: 'start' | 'part', limit: number): Promise<string[]> {
  const found = await rows
    .selectFrom('accounts')
    .innerJoin('participants', 'participants.account_reg_no', 'accounts.account_reg_no')
    .select('participants.participant')
    .where((e) => (how === 'start' ? beginsWith(e.ref('accounts.name'), name) : contains(e.ref('accounts.name'), name)))
    .limit(limit)
    .execute();
  return found.map(({ participant }) => participant);
}

const ownerOfParticipant = prepared((rows: Rows, slot) =>
  rows.selectFrom('participants').select('account_reg_no').where('participant', '=', slot<string>('participant')),
);

/** False when it is not this account's. */
export async function deleteParticipant(rows: Rows, accountRegNo: string, participant: string): Promise<boolean> {
  const { numDeletedRows } = await rows
    .deleteFrom('participants')
    .where('account_reg_no', '=', accountRegNo)
    .where('participant', '=', participant)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The account that a participant belongs to. */
export async function accountOfParticipant(rows: Rows, participant: string): Promise<string | undefined> {
  const [row] = await ownerOfParticipant(rows, { participant });
  return row?.account_reg_no;
}

/** The profile of the account that a participant belongs to; undefined when it belongs to none. */
export async function profileOfParticipant(rows: Rows, participant: string): Promise<Partial<Profile> | undefined> {
  const account = await accountOfParticipant(rows, participant);
  if (account === undefined) return undefined;
  const row = await rows.selectFrom('accounts').select('profile').where('account_reg_no', '=', account).executeTakeFirst();
  return row && profileOf(row.profile);
}

export async function participantsOf(rows: Rows, accountRegNo: string, limit?: number): Promise<string[]> {
  const all = rows.selectFrom('participants').select('participant').where('account_reg_no', '=', accountRegNo).orderBy('participant');
  const found = await (limit === undefined ? all : all.limit(limit)).execute();
  return found.map(({ participant }) => participant);
}

/** Of all accounts, or of these, by account. */
export async function participantsByAccount(
  rows: Rows,
  accountRegNos?: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (accountRegNos?.length === 0) return new Map();
  let participants = rows.selectFrom('participants').select(['account_reg_no', 'participant']).orderBy('participant');
  if (accountRegNos) participants = participants.where('account_reg_no', 'in', accountRegNos);
  const grouped = Map.groupBy(await participants.execute(), (row) => row.account_reg_no);
  return new Map([...grouped].map(([accountRegNo, found]) => [accountRegNo, found.map(({ participant }) => participant)]));
}

/** Removes the account with its participants and its links; its keys and messages must be gone. */
export async function deleteAccount(rows: Rows, accountRegNo: string): Promise<void> {
  await rows.deleteFrom('partner_links').where('account_reg_no', '=', accountRegNo).execute();
  await rows.deleteFrom('participants').where('account_reg_no', '=', accountRegNo).execute();
  await rows.deleteFrom('idempotency_keys').where('account_reg_no', '=', accountRegNo).execute();
  await rows.deleteFrom('accounts').where('account_reg_no', '=', accountRegNo).execute();
}

export function accountOf(row: Selectable<Tables['accounts']>): AccountRow {
  return {
    accountRegNo: row.account_reg_no,
    name: row.name,
    enabled: row.enabled === 1,
    features: { apiIntegration: row.api_integration === 1, sftpIntegration: row.sftp_integration === 1, capture: row.capture === 1 },
    requestsMax: row.requests_max,
    keepMessages: row.keep_messages,
    validation: validationOf(row),
  };
}

/** An unknown value in a column counts as strict. */
function validationOf(row: Selectable<Tables['accounts']>): Validation {
  return {
    severity: SEVERITIES.find((one) => one === row.validation_severity) ?? STRICT.severity,
    profiles: PROFILE_POLICIES.find((one) => one === row.validation_profiles) ?? STRICT.profiles,
    verify: VERIFY_MODES.find((one) => one === row.validation_verify) ?? STRICT.verify,
  };
}

/** The profile in a column. Throws `storage`. */
export function profileOf(text: string): Partial<Profile> {
  return ownJson(text, partialProfile, 'The profile of an account cannot be read.');
}
