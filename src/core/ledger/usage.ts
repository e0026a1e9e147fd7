// How much each account has exchanged in a time: it goes through all messages, so it is asked as a scan.
import { sql } from 'kysely';
import type { Ledger } from './schema.ts';

interface Exchanged {
  readonly accountRegNo: string;
  readonly direction: string;
  readonly family: string;
  /** Of the receiver's address. */
  readonly scheme: string;
  readonly documents: number;
}

/** An address of an account that sent or received something. */
export interface EndUser {
  readonly accountRegNo: string;
  readonly participant: string;
}

/** Messages that were stored from `fromMs` on, and before `toMs`; their versions count once. */
export async function readExchanged({ scan }: Pick<Ledger, 'scan'>, fromMs: number, toMs: number): Promise<Exchanged[]> {
  const scheme = sql<string>`substr(receiver, 1, 4)`;
  const found = await scan
    .selectFrom('messages')
    .select((e) => ['account_reg_no', 'direction', 'family', scheme.as('scheme'), e.fn.countAll<number>().as('documents')])
    .where('created_at', '>=', fromMs)
    .where('created_at', '<', toMs)
    .groupBy(['account_reg_no', 'direction', 'family', scheme])
    .orderBy('account_reg_no')
    .orderBy('direction')
    .orderBy('family')
    .orderBy('scheme')
    .execute();
  return found.map(({ account_reg_no: accountRegNo, ...row }) => ({ ...row, accountRegNo }));
}

export async function readEndUsers({ scan }: Pick<Ledger, 'scan'>, fromMs: number, toMs: number): Promise<EndUser[]> {
  const own = sql<string>`case direction when 'outgoing' then sender else receiver end`;
  const found = await scan
    .selectFrom('messages')
    .select(['account_reg_no', own.as('participant')])
    .distinct()
    .where('created_at', '>=', fromMs)
    .where('created_at', '<', toMs)
    .execute();
  return found.map(({ account_reg_no: accountRegNo, participant }) => ({ accountRegNo, participant }));
}

/** The partners of each account, as they are linked now. */
export async function readPartnersOf({ read }: Pick<Ledger, 'read'>): Promise<Map<string, string[]>> {
  const links = await read.selectFrom('partner_links').selectAll().orderBy('partner_reg_no').execute();
  const partners = new Map<string, string[]>();
  for (const { account_reg_no, partner_reg_no } of links)
    partners.set(account_reg_no, [...(partners.get(account_reg_no) ?? []), partner_reg_no]);
  return partners;
}
