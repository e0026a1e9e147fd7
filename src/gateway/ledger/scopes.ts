// What a write of the gateway is alone with (engines/database.ts).
import type { Scope } from '#engines/database.ts';
import type { Homes } from '#gateway/model/homes.ts';

/** Of items and files owed: the home, by whose names receipts report them, and the account, whose documents keep their order. */
export function scopesOf({ home, accountRegNo }: { readonly home: string; readonly accountRegNo: string }): readonly Scope[] {
  return [`home ${home}`, `account ${accountRegNo}`];
}

/** Of these homes; of all but some it is alone with administration, as a start is. */
export function scopesOfHomes(homes: Homes): readonly Scope[] {
  return 'only' in homes ? homes.only.map((home): Scope => `home ${home}`) : ['administration'];
}
