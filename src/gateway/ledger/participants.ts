// Participants in the ledger: whose documents are sent from which address, as far as an administrator, or the core beside us, has said.
import { AppError } from '#domain/error.ts';
import type { Rows } from './schema.ts';

export interface ParticipantRow {
  readonly participant: string;
  readonly accountRegNo: string;
}

export async function readParticipants(rows: Rows): Promise<ParticipantRow[]> {
  const found = await rows.selectFrom('participants').selectAll().orderBy('participant').execute();
  return found.map((row) => ({ participant: row.participant, accountRegNo: row.account_reg_no }));
}

export async function readParticipantsOf(rows: Rows, accountRegNo: string): Promise<string[]> {
  return (await readParticipants(rows)).flatMap((row) => (row.accountRegNo === accountRegNo ? [row.participant] : []));
}

/** Says that the account sends from these addresses, and from no others. Throws `exists` for one that is another account's. */
export async function replaceParticipants(rows: Rows, accountRegNo: string, participants: readonly string[]): Promise<void> {
  await rows.deleteFrom('participants').where('account_reg_no', '=', accountRegNo).execute();
  for (const participant of new Set(participants)) {
    const other = await rows.selectFrom('participants').selectAll().where('participant', '=', participant).executeTakeFirst();
    if (other)
      throw new AppError('exists', `${participant} is the address of account ${other.account_reg_no}; one address has one account.`);
    await rows.insertInto('participants').values({ participant, account_reg_no: accountRegNo }).execute();
  }
}
