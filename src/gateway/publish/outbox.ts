// What lies in outboxes, and the rules for it: what an account has not said follows the settings.

import { homeFolder } from '#gateway/disk/paths.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import type { OutboxRule } from '#gateway/model/rule-words.ts';
import { inFolderIfThere, type SafeFolder } from '#runtime/files/safe-folder.ts';

/** Null is never, or for ever. */
export interface OutboxSettings {
  readonly outbox: OutboxRule;
  readonly keepOutbox: number | null;
  readonly pickupAlarm: number | null;
  readonly archive: number | null;
}

/** In milliseconds; 0 is never, or for ever. */
export interface OutboxRules {
  readonly outbox: OutboxRule;
  readonly keepOutbox: number;
  readonly pickup: number;
  readonly archive: number;
}

/** The rules for an account, or for the home that a partner's children have together. */
export function outboxRules(accounts: Pick<Accounts, 'find'>, settings: OutboxSettings): (accountRegNo: string) => OutboxRules {
  return (accountRegNo) => {
    const given = accounts.find(accountRegNo)?.receiving ?? {};
    return {
      outbox: given.outbox ?? settings.outbox,
      keepOutbox: given.keepOutbox ?? settings.keepOutbox ?? 0,
      pickup: given.pickup ?? settings.pickupAlarm ?? 0,
      archive: given.archive ?? settings.archive ?? 0,
    };
  };
}

export interface Waiting {
  readonly name: ByteName;
  /** Since when it lies there, or has its name: clients set other times. */
  readonly sinceMs: number;
}

/** The files in a home's outbox, the oldest first; none where there is no such home, or a link in place of the folder. */
export async function listOutbox(data: string, home: string): Promise<Waiting[]> {
  return (await inFolderIfThere(homeFolder(data, home), ['outbox'], waitingIn)) ?? [];
}

export async function waitingIn(outbox: SafeFolder): Promise<Waiting[]> {
  const found: Waiting[] = [];
  for (const name of await outbox.list()) {
    const facts = await outbox.look(name);
    if (facts?.isFile()) found.push({ name, sinceMs: facts.ctimeMs });
  }
  return found.sort((a, b) => a.sinceMs - b.sinceMs);
}
