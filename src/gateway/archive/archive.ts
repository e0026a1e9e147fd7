// The archive: a copy of each document that goes to an outbox, of each original that the service took, and of each receipt, kept for as long as the
// account wants. Each is on disk before what it is a copy of goes on.
import { dayOf } from '#domain/day.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { toByteName } from '#gateway/model/intake.ts';
import type { Clock } from '#runtime/clock.ts';
import { ensureFolder, replaceDurable } from '#runtime/files/durable.ts';
import { makeFolders } from '#runtime/files/held-folder.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import { archiveFolder, type Part } from './places.ts';

export interface Archive {
  /** Whether the account wants one. */
  keeps(accountRegNo: string): boolean;
  /** Keeps the bytes durably, under this name, unless the account wants no archive; a received document where no part is named. Again is harmless. */
  keep(accountRegNo: string, name: string, bytes: Uint8Array, part?: Part): Promise<void>;
}

export interface ArchiveParts {
  readonly data: string;
  /** For how long, in milliseconds; 0: there is none. */
  readonly rules: (accountRegNo: string) => { readonly archive: number };
  readonly inHand: Pick<HomesInHand, 'check'>;
  readonly clock: Clock;
}

export function openArchive({ data, rules, inHand, clock }: ArchiveParts): Archive {
  const keeps = (accountRegNo: string): boolean => rules(accountRegNo).archive > 0;
  return {
    keeps,
    async keep(accountRegNo, name, bytes, part) {
      if (!keeps(accountRegNo)) return;
      const folder = ensureFolder(archiveFolder(data, accountRegNo));
      const day = dayOf(clock.now());
      makeFolders(folder, [], [day]);
      if (part) makeFolders(folder, [day], [part]);
      const below = part ? [day, part] : [day];
      const kept = { mode: 0o640, check: inHand.check };
      await inFolder(folder, below, (at) => replaceDurable(String(at.path(toByteName(name))), bytes, kept));
    },
  };
}
