// The sender of an outgoing and the receiver of an incoming document must be the account's own (decisions A3, Ownership).
import { accountOfParticipant, participantsOf } from '#core/ledger/accounts.ts';
import type { Rows } from '#core/ledger/schema.ts';
import type { Direction } from '#domain/account.ts';

const ROLES: Readonly<Record<Direction, 'sender' | 'receiver'>> = { outgoing: 'sender', incoming: 'receiver' };

/** Why a document with this address is refused; null where the address is the account's own. */
export async function whyNotOwn(rows: Rows, accountRegNo: string, direction: Direction, participant: string): Promise<string | null> {
  if ((await accountOfParticipant(rows, participant)) === accountRegNo) return null;
  const role = ROLES[direction];
  const own = await participantsOf(rows, accountRegNo, OWN_SHOWN_MAX + 1);
  return `The ${role} ${participant} is no participant of this account: an ${direction} document needs a ${role} that is. ${sentenceOf(own)} Correct the address, or have the participant assigned to the account.`;
}

/** As many as a sentence can hold. */
const OWN_SHOWN_MAX = 5;

function sentenceOf(own: readonly string[]): string {
  if (own.length === 0) return 'The account has none.';
  return `The account has ${own.slice(0, OWN_SHOWN_MAX).join(', ')}${own.length > OWN_SHOWN_MAX ? ' and others' : ''}.`;
}
