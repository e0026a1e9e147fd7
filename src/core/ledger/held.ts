// Rows that one core works on: each names the core that has it, by its incarnation, until that is done or has ended, and for a time at the most.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Hold } from '#core/model/hold.ts';
import type { Rows } from './schema.ts';
import { releaseTransmissions } from './transmissions.ts';

/** Whether the core may take a row: nobody has it, the core itself, or another for longer than it may. */
export function isFreeFor({ holder, nowMs }: Hold): RawBuilder<SqlBool> {
  return sql`(held_by is null or held_by = ${holder} or held_until <= ${nowMs})`;
}

/** The cores that have rows. */
export async function selectHolders(rows: Rows): Promise<string[]> {
  const found = await rows
    .selectFrom('transmissions')
    .select('held_by')
    .where('held_by', 'is not', null)
    .union(rows.selectFrom('enrichments').select('held_by').where('held_by', 'is not', null))
    .union(rows.selectFrom('webhooks').select('held_by').where('held_by', 'is not', null))
    .execute();
  return found.flatMap(({ held_by: holder }) => holder ?? []);
}

/** Frees what a core held that has ended. */
export async function releaseHeld(rows: Rows, holder: string, nowMs: number): Promise<void> {
  await releaseTransmissions(rows, holder, nowMs);
  await rows.updateTable('enrichments').set({ held_by: null }).where('held_by', '=', holder).execute();
  await rows.updateTable('webhooks').set({ held_by: null }).where('held_by', '=', holder).execute();
}
