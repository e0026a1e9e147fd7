// Lists of messages: each of an account, a direction and a family, in the order of positions.
import { DIRECTIONS, type Direction } from '#domain/account.ts';
import { FAMILY_NAMES, type FamilyName } from '#domain/family.ts';
import { prepared } from '#engines/prepared.ts';
import type { MessageRow } from './messages.ts';
import type { Rows } from './schema.ts';

export interface MessageList {
  readonly accountRegNo: string;
  readonly direction: Direction;
  readonly family: FamilyName;
}

/** All lists of an account. */
export function listsOf(accountRegNo: string): MessageList[] {
  return DIRECTIONS.flatMap((direction) => FAMILY_NAMES.map((family) => ({ accountRegNo, direction, family })));
}

/** The messages of a list. */
export function inList(rows: Rows, { accountRegNo, direction, family }: MessageList) {
  return rows
    .selectFrom('messages')
    .where('account_reg_no', '=', accountRegNo)
    .where('direction', '=', direction)
    .where('family', '=', family);
}

const newest = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('messages')
    .select(['position', 'created_at'])
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('direction', '=', slot<string>('direction'))
    .where('family', '=', slot<string>('family'))
    .orderBy('position', 'desc')
    .limit(1),
);

export type ListEnd = Pick<MessageRow, 'position' | 'created_at'>;

/** The newest message of a list; of an empty one, what comes before all. */
export async function newestOfList(rows: Rows, { accountRegNo, direction, family }: MessageList): Promise<ListEnd> {
  const [row] = await newest(rows, { accountRegNo, direction, family });
  return row ?? { position: 0, created_at: 0 };
}
