// Operators: who may log in to the page, and what ends their sessions.
import { randomBytes } from 'node:crypto';
import { checkedName } from '#domain/account.ts';
import { AppError } from '#domain/error.ts';
import { deleteOperator, insertOperator, type OperatorChanges, readOperator, updateOperator } from '#gateway/ledger/operators.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import type { OperatorRole } from '#gateway/model/operator.ts';
import type { Administration } from './administration.ts';

const STAMP_BYTES = 16;

/** Throws `usage` and `exists`. */
export async function addOperator(on: Administration, operator: string, role: OperatorRole, passwordHash: string): Promise<void> {
  checkedName('operator', operator);
  const row = { operator, role, passwordHash, createdAt: on.clock.now(), stamp: newStamp() };
  await on.ledger.write(['administration'], async (rows) => {
    if (await readOperator(rows, operator))
      throw new AppError('exists', `Operator ${operator} is there already; 'dropgate operator set' changes what there is.`);
    await insertOperator(rows, row);
  });
}

/** Sessions go on, and may do at once what the new role may. Throws `missing`. */
export function setOperatorRole(on: Administration, operator: string, role: OperatorRole): Promise<void> {
  return changeOperator(on, operator, { role });
}

/** Ends all sessions of the operator. Throws `missing`. */
export function setOperatorPassword(on: Administration, operator: string, passwordHash: string): Promise<void> {
  return changeOperator(on, operator, { passwordHash, stamp: newStamp() });
}

/** Sessions that were open when an operator was disabled stay ended. Throws `missing`. */
export function setOperatorEnabled(on: Administration, operator: string, enabled: boolean): Promise<void> {
  return changeOperator(on, operator, enabled ? { disabledAt: null } : { disabledAt: on.clock.now(), stamp: newStamp() });
}

/** In all browsers. Throws `missing`. */
export function endSessions(on: Administration, operator: string): Promise<void> {
  return changeOperator(on, operator, { stamp: newStamp() });
}

/** Throws `missing`. */
export function removeOperator(on: Administration, operator: string): Promise<void> {
  return on.ledger.write(['administration'], async (rows) => {
    await mustBeThere(rows, operator);
    await deleteOperator(rows, operator);
  });
}

export function changeOperator(on: Administration, operator: string, changes: OperatorChanges): Promise<void> {
  return on.ledger.write(['administration'], async (rows) => {
    await mustBeThere(rows, operator);
    await updateOperator(rows, operator, changes);
  });
}

async function mustBeThere(rows: Rows, operator: string): Promise<void> {
  if (await readOperator(rows, operator)) return;
  throw new AppError('missing', `There is no operator ${operator}; 'dropgate operator list' shows all.`);
}

export function newStamp(): string {
  return randomBytes(STAMP_BYTES).toString('hex');
}
