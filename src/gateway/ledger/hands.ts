// In whose hand each home is: of the processes that work on this ledger, one.
import type { Homes } from '#gateway/model/homes.ts';
import { among } from './homes.ts';
import type { Rows } from './schema.ts';

export interface Process {
  readonly incarnation: string;
  /** Where it runs, as sentences name it. */
  readonly place: string;
  /** Its name among others; null where it works alone. */
  readonly node: string | null;
}

export function readProcesses(rows: Rows): Promise<Process[]> {
  return rows.selectFrom('processes').select(['incarnation', 'place', 'node']).orderBy('incarnation').execute();
}

export async function isKnown(rows: Rows, incarnation: string): Promise<boolean> {
  const found = await rows.selectFrom('processes').select('incarnation').where('incarnation', '=', incarnation).executeTakeFirst();
  return found !== undefined;
}

export async function putProcess(rows: Rows, process: Pick<Process, 'incarnation' | 'place'>): Promise<void> {
  await rows.insertInto('processes').values(process).execute();
}

/** Its homes are in nobody's hand then. */
export async function forgetProcess(rows: Rows, incarnation: string): Promise<void> {
  await rows.deleteFrom('processes').where('incarnation', '=', incarnation).execute();
}

/** Those of accounts, and those that children of partners have together, though a partner may have none; some more than once. */
export function allHomes(rows: Pick<Rows, 'selectFrom'>) {
  const ofPartners = rows.selectFrom('partners').select('partner_reg_no as home').where('consolidated', '=', 1);
  return rows.selectFrom('accounts').select('home').unionAll(ofPartners);
}

/** Whether no process has the home in hand, nor will have: it is of no account any more, and of no partner. */
export async function isHomeOfNobody(rows: Rows, home: string): Promise<boolean> {
  const homes = allHomes(rows).unionAll(rows.selectFrom('homes_in_hand').select('home'));
  const found = await rows.selectFrom(homes.as('homes')).select('home').where('home', '=', home).limit(1).execute();
  return found.length === 0;
}

/** Takes those of the homes that are in nobody's hand. */
export async function takeHomes(rows: Rows, incarnation: string, homes: Homes): Promise<void> {
  await rows
    .insertInto('homes_in_hand')
    .columns(['home', 'incarnation'])
    .expression((from) =>
      from
        .selectFrom(allHomes(rows).as('homes'))
        .select((e) => ['home', e.val(incarnation).as('incarnation')])
        .distinct()
        .where(among(homes)),
    )
    .onConflict((conflict) => conflict.column('home').doNothing())
    .execute();
}

export async function leaveHome(rows: Rows, incarnation: string, home: string): Promise<void> {
  await rows.deleteFrom('homes_in_hand').where('home', '=', home).where('incarnation', '=', incarnation).execute();
}

export interface HomeElsewhere extends Process {
  readonly home: string;
}

/** Those of the homes that are in the hand of another. */
export function readElsewhere(rows: Rows, incarnation: string, homes: Homes): Promise<HomeElsewhere[]> {
  return rows
    .selectFrom('homes_in_hand')
    .innerJoin('processes', 'processes.incarnation', 'homes_in_hand.incarnation')
    .select(['home', 'processes.incarnation', 'place', 'node'])
    .where('homes_in_hand.incarnation', '!=', incarnation)
    .where(among(homes))
    .orderBy('home')
    .execute();
}
