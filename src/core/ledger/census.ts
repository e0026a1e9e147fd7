// How many of everything there are: for those who watch over the core. It is asked as a scan, and seldom.
import type { Ledger } from './schema.ts';

interface Census {
  /** Events that wait, by the number of tries that failed. */
  readonly waitingEvents: ReadonlyMap<number, number>;
  readonly deadEvents: number;
  /** Subscriptions that were disabled because of what their receivers answered, or did not. */
  readonly disabledWebhooks: number;
  /** Documents that are on their way into the network, and when the oldest of them was stored; null when there is none. */
  readonly transmissions: number;
  readonly oldestTransmission: number | null;
  /** Participants that could not be looked up lately, and differences that were found. */
  readonly unseen: number;
  readonly differences: number;
}

export async function takeCensus({ scan }: Pick<Ledger, 'scan'>): Promise<Census> {
  const waiting = scan
    .selectFrom('webhook_events')
    .select((e) => ['attempts', e.fn.countAll<number>().as('count')])
    .where('next_attempt_at', 'is not', null)
    .groupBy('attempts')
    .execute();
  const owed = scan
    .selectFrom('transmissions')
    .select((e) => [e.fn.countAll<number>().as('count'), e.fn.min<number | null>('created_at').as('oldest')])
    .where('next_attempt_at', 'is not', null)
    .executeTakeFirstOrThrow();
  const others = scan
    .selectNoFrom((e) => {
      const count = e.fn.countAll<number>().as('count');
      return [
        e.selectFrom('webhook_events').select(count).where('dead_at', 'is not', null).as('dead'),
        e.selectFrom('webhooks').select(count).where('enabled', '=', 0).where('disabled_reason', 'is not', null).as('disabled'),
        e.selectFrom('watched').select(count).where('failing_since', 'is not', null).as('unseen'),
        e.selectFrom('differences').select(count).as('differences'),
      ];
    })
    .executeTakeFirstOrThrow();
  const [ladder, transmissions, { dead, disabled, unseen, differences }] = await Promise.all([waiting, owed, others]);
  return {
    waitingEvents: new Map(ladder.map(({ attempts, count }) => [attempts, count])),
    deadEvents: dead ?? 0,
    disabledWebhooks: disabled ?? 0,
    transmissions: transmissions.count,
    oldestTransmission: transmissions.oldest,
    unseen: unseen ?? 0,
    differences: differences ?? 0,
  };
}
