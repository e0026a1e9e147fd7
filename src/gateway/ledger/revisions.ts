// The revision of accounts, partners and logins: every change moves it, by which a running daemon notices.
import { prepared } from '#engines/prepared.ts';
import type { Rows } from './schema.ts';

const revisionOfAccounts = prepared((rows: Rows) => rows.selectFrom('revisions').select('revision').where('name', '=', 'accounts'));

export async function readRevision(rows: Rows): Promise<number> {
  const [row] = await revisionOfAccounts(rows, {});
  return row?.revision ?? 0;
}

export async function moveRevision(rows: Rows): Promise<void> {
  await rows
    .insertInto('revisions')
    .values({ name: 'accounts', revision: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((e) => ({ revision: e('revisions.revision', '+', 1) })))
    .execute();
}
