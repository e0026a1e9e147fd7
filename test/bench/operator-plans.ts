// By which indexes searches are answered, as the engine tells.
import type { Ledger } from '#gateway/ledger/schema.ts';
import { findDocuments } from '#gateway/operate/find.ts';
import { systemClock } from '#runtime/clock.ts';
import { asked, planOf } from '../support/plans.ts';
import { textsOf } from './operator-fill.ts';
import type { Figure } from './pipeline-daemons.ts';

/** Of each way in which is looked, one. */
const SHOWN = ['number, whole', 'a start that all have', 'a part, in 30 days'];
const ITEM = 1_234;

/** Each question of a search by the table that it is about, with the indexes that it takes, or what it reads whole. */
export async function plansOf(ledger: Ledger, ids: readonly string[]): Promise<Figure[]> {
  const texts = textsOf(ids);
  const figures: Figure[] = [];
  for (const name of SHOWN) {
    const text = texts[name]?.(ITEM) ?? '';
    const wish = { text, limit: 50, registered: async () => [] };
    const queries = await asked(ledger.read, (read) => findDocuments({ ledger: { read }, clock: systemClock }, wish));
    const byTable = Map.groupBy(queries, ({ sql }) => /from "(\w+)"/.exec(sql)?.[1] ?? '');
    for (const [table, of] of byTable) {
      const taken = new Set<string>();
      for (const { sql } of of) {
        const { indexes, walks } = await planOf(ledger, sql, true);
        for (const step of [...indexes, ...walks]) taken.add(step.trim());
      }
      figures.push([`find: ${name}: ${table}`, [...taken].join(', ')]);
    }
  }
  return figures;
}
