// Rows that one core works on: each names the core that has it, by its incarnation, until that is done or has ended, and for a time at the most.
import type { Rows } from './schema.ts';
import { releaseTransmissions } from './transmissions.ts';

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
