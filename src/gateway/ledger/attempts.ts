// Attempts in the ledger: a row before the first byte goes out; an outcome only when it is known.
import type { Rows } from './schema.ts';

export interface Attempts {
  /** Oldest first; null = not known. */
  readonly outcomes: readonly (string | null)[];
  /** The first since a person last sent it on its way. */
  readonly firstAt: number | null;
  /** The oldest whose outcome is not known. */
  readonly openSince: number | null;
}

/** What became of it was never known; a person has looked since. */
const GIVEN_UP = 'held';

export async function readAttempts(rows: Rows, item: string): Promise<Attempts> {
  const found = await rows.selectFrom('attempts').select(['at', 'outcome']).where('item', '=', item).orderBy('number').execute();
  return {
    outcomes: found.map((row) => row.outcome),
    firstAt: found.find((row) => row.outcome !== GIVEN_UP)?.at ?? null,
    openSince: found.find((row) => row.outcome === null)?.at ?? null,
  };
}

export async function insertAttempt(rows: Rows, item: string, number: number, at: number): Promise<void> {
  await rows.insertInto('attempts').values({ item, number, at, outcome: null }).execute();
}

/** The outcome of one attempt is known. */
export async function closeAttempt(rows: Rows, item: string, number: number, outcome: string): Promise<void> {
  await rows.updateTable('attempts').set({ outcome }).where('item', '=', item).where('number', '=', number).execute();
}

/** The item has ended, so no attempt of it is open any more. */
export async function closeAttempts(rows: Rows, item: string, outcome: string): Promise<void> {
  await rows.updateTable('attempts').set({ outcome }).where('item', '=', item).where('outcome', 'is', null).execute();
}
