// Operators in the ledger: who may log in to the page.
import type { Selectable } from 'kysely';
import type { OperatorRole } from '#gateway/model/operator.ts';
import type { Rows, Tables } from './schema.ts';

export interface OperatorRow {
  readonly operator: string;
  readonly role: OperatorRole;
  readonly passwordHash: string;
  readonly disabled: boolean;
  readonly createdAt: number;
  /** Sessions carry it, and end when it is another one. */
  readonly stamp: string;
  /** Of the secret of the second factor; null where the password is enough. */
  readonly totpSalt: string | null;
  /** The step whose code was used last. */
  readonly totpStep: number;
}

export async function readOperators(rows: Rows): Promise<OperatorRow[]> {
  return (await rows.selectFrom('operators').selectAll().orderBy('operator').execute()).map(operatorOf);
}

export async function readOperator(rows: Rows, operator: string): Promise<OperatorRow | undefined> {
  const row = await rows.selectFrom('operators').selectAll().where('operator', '=', operator).executeTakeFirst();
  return row && operatorOf(row);
}

function operatorOf({ operator, role, stamp, ...row }: Selectable<Tables['operators']>): OperatorRow {
  const { password_hash: passwordHash, disabled_at, created_at: createdAt, totp_salt: totpSalt, totp_step: totpStep } = row;
  return { operator, role, passwordHash, disabled: disabled_at !== null, createdAt, stamp, totpSalt, totpStep };
}

export async function insertOperator(rows: Rows, row: Omit<OperatorRow, 'disabled' | 'totpSalt' | 'totpStep'>): Promise<void> {
  const { operator, role, passwordHash: password_hash, createdAt: created_at, stamp } = row;
  await rows
    .insertInto('operators')
    .values({ operator, role, password_hash, disabled_at: null, created_at, stamp, totp_salt: null })
    .execute();
}

export interface OperatorChanges extends Partial<Pick<OperatorRow, 'role' | 'passwordHash' | 'stamp' | 'totpSalt' | 'totpStep'>> {
  /** Since when the operator is refused; null: is not. */
  readonly disabledAt?: number | null;
}

/** Changes the columns that are given. */
export async function updateOperator(rows: Rows, operator: string, changes: OperatorChanges): Promise<void> {
  const { role, passwordHash, disabledAt, stamp, totpSalt, totpStep } = changes;
  await rows
    .updateTable('operators')
    .set({
      ...(role !== undefined && { role }),
      ...(passwordHash !== undefined && { password_hash: passwordHash }),
      ...(disabledAt !== undefined && { disabled_at: disabledAt }),
      ...(stamp !== undefined && { stamp }),
      ...(totpSalt !== undefined && { totp_salt: totpSalt }),
      ...(totpStep !== undefined && { totp_step: totpStep }),
    })
    .where('operator', '=', operator)
    .execute();
}

export async function deleteOperator(rows: Rows, operator: string): Promise<void> {
  await rows.deleteFrom('operators').where('operator', '=', operator).execute();
}
