// The archive: a copy of each document that goes to an outbox, kept for as long as the account wants. `archive/ACCOUNT/DAY/NAME` below the
// data folder, where no login sees it.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dayOf, endOfDay } from '#domain/day.ts';
import { toByteName } from '#gateway/model/intake.ts';
import type { Clock } from '#runtime/clock.ts';
import { ensureFolder, replaceDurable } from '#runtime/files/durable.ts';
import { makeFolders } from '#runtime/files/held-folder.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import type { OutboxRules } from './outbox.ts';

export interface Archive {
  /** Keeps the bytes durably, under this name, unless the account wants no archive. Again is harmless. */
  keep(accountRegNo: string, name: string, bytes: Uint8Array): Promise<void>;
}

export interface ArchiveParts {
  readonly data: string;
  readonly rules: (accountRegNo: string) => Pick<OutboxRules, 'archive'>;
  readonly clock: Clock;
}

export function openArchive({ data, rules, clock }: ArchiveParts): Archive {
  return {
    async keep(accountRegNo, name, bytes) {
      if (rules(accountRegNo).archive === 0) return;
      const folder = ensureFolder(archiveFolder(data, accountRegNo));
      const day = dayOf(clock.now());
      makeFolders(folder, [], [day]);
      await inFolder(folder, [day], (at) => replaceDurable(String(at.path(toByteName(name))), bytes, 0o640));
    },
  };
}

/** Removes the days that are over for longer than copies are kept. Returns how many. */
export async function thinArchive({ data, rules, clock }: ArchiveParts, accountRegNo: string): Promise<number> {
  const folder = archiveFolder(data, accountRegNo);
  const days = await readdir(folder).catch(() => []);
  const over = days.filter((day) => (endOfDay(day) ?? Number.POSITIVE_INFINITY) < clock.now() - rules(accountRegNo).archive);
  for (const day of over) await rm(join(folder, day), { recursive: true, force: true });
  return over.length;
}

function archiveFolder(data: string, accountRegNo: string): string {
  return join(data, 'archive', accountRegNo);
}
