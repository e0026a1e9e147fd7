// The rows of a ledger as of one moment, also while others write.
import type { Kysely } from 'kysely';
import { systemClock } from '#runtime/clock.ts';
import type { PostgresPlace } from './place.ts';
import { refusalOf } from './refusals.ts';
import { Sessions } from './sessions.ts';

/** One transaction of one connection, which only reads. */
export async function openPostgresSnapshot<Tables>(
  place: PostgresPlace,
): Promise<{ readonly read: Kysely<Tables>; close(): Promise<void> }> {
  const readers = new Sessions<Tables>(place, 'read', systemClock);
  try {
    const session = await readers.take();
    await session.say('begin isolation level repeatable read read only');
    return {
      read: session.rows,
      async close() {
        await session.say('commit');
        readers.giveBack(session);
        await readers.close();
      },
    };
  } catch (error) {
    await readers.close();
    throw refusalOf(place, error);
  }
}
