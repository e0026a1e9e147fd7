// Originals of which the ledger knows nothing, or not where they are, because it came from a backup: what was accepted since. A service that
// was put back as well lacks these documents, and no other part would send them again.
import { shortId } from '#domain/id.ts';
import { homeFolder, namesIn } from '#gateway/disk/paths.ts';
import { readAccounts } from '#gateway/ledger/accounts.ts';
import { type FoundItem, itemPages } from '#gateway/ledger/searches.ts';
import { nameOfDuplicate } from '#gateway/model/file-names.ts';
import { toByteName } from '#gateway/model/intake.ts';
import { ifThere } from '#runtime/files/held-folder.ts';
import type { Operator } from './operator.ts';

export interface ForgottenOriginal {
  readonly home: string;
  /** The end of its item's id, in small letters. */
  readonly short: string;
  /** As it lies in accepted/, and as it was dropped. */
  readonly original: string;
  readonly fileName: string;
  /** When it came to accepted/. */
  readonly cameMs: number;
}

/** The end of an item's id, in the name of its original. */
const SHORT = /\.([0-9a-hjkmnp-tv-z]{8})(?=\.[^.]*$|$)/;

/** Those that came there since, in the order in which they came. Of one account only where it has a home of its own. */
export async function forgottenOriginals(
  { data, ledger }: Operator,
  { sinceMs, accountRegNo }: { readonly sinceMs: number; readonly accountRegNo?: string },
): Promise<ForgottenOriginal[]> {
  const homes = new Set((await readAccounts(ledger.read)).map(({ home }) => home));
  const asked = [...homes].filter((home) => accountRegNo === undefined || home === accountRegNo);
  const candidates = new Map(asked.flatMap((home) => originalsSince(data, home, sinceMs)).map((each) => [each.short, each]));
  for await (const items of itemPages(ledger.read)) for (const item of items) candidates.delete(shortId(item));
  return [...candidates.values()].sort((a, b) => a.cameMs - b.cameMs);
}

/** Where an original lies in its home. */
export interface KeptOriginal {
  readonly folder: 'accepted' | 'refused';
  readonly name: string;
}

/** The original of an item, by the name that it was given; undefined when it is not there. */
export function originalOf(data: string, { home, item }: Pick<FoundItem, 'home' | 'item'>): KeptOriginal | undefined {
  const short = shortId(item);
  for (const folder of ['accepted', 'refused'] as const) {
    const name = namesIn(data, home, folder).find((each) => SHORT.exec(plainName(each))?.[1] === short);
    if (name !== undefined) return { folder, name };
  }
  return undefined;
}

function originalsSince(data: string, home: string, sinceMs: number): ForgottenOriginal[] {
  const found = ifThere(homeFolder(data, home), ['accepted'], (folder) =>
    namesIn(data, home, 'accepted').flatMap((original) => {
      const plain = plainName(original);
      const [part, short] = SHORT.exec(plain) ?? [];
      const stats = part && short ? folder.look(toByteName(original)) : undefined;
      if (!part || !short || !stats?.isFile()) return [];
      // When it was given its name: its bytes may be older.
      const { ctimeMs: cameMs } = stats;
      return cameMs < sinceMs ? [] : [{ home, short, original, fileName: plain.replace(part, ''), cameMs }];
    }),
  );
  return found ?? [];
}

/** As it would be if duplicates had no folder of their own. */
function plainName(original: string): string {
  return nameOfDuplicate(original) ?? original;
}
