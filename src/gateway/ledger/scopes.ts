// What a write of the gateway is alone with (engines/database.ts).
import type { Scope } from '#engines/database.ts';

/** Of items and files owed: the home, by whose names receipts report them, and the account, whose documents keep their order. */
export function scopesOf({ home, accountRegNo }: { readonly home: string; readonly accountRegNo: string }): readonly Scope[] {
  return [`home ${home}`, `account ${accountRegNo}`];
}
