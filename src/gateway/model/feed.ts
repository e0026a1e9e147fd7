// A feed: one family of one account, which is what a sweep is about and what statuses are asked for.
import { type FamilyName, isFamilyName } from '#domain/family.ts';

export interface Feed {
  readonly accountRegNo: string;
  readonly family: FamilyName;
}

/**
 * A feed as one word, which is also what the bell carries for it: `ACCOUNT FAMILY`. Many are kept, so it is joined: of a concatenated string V8 keeps
 * the parts as well.
 */
export function feedId({ accountRegNo, family }: Feed): string {
  return [accountRegNo, family].join(' ');
}

/** The feed that an id stands for; null when it names none. What may follow in the id is ignored. */
export function feedOf(id: string): Feed | null {
  const [accountRegNo = '', family = ''] = id.split(' ');
  return isFamilyName(family) ? { accountRegNo, family } : null;
}
