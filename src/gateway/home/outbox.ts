// What lies in outboxes, and the rules for it: what an account has not said follows the settings.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Accounts } from '#gateway/accounts/accounts.ts';
import type { OutboxRule } from '#gateway/accounts/receiving.ts';
import { homeFolder } from './home.ts';

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
  readonly path: Buffer;
  /** Since when it lies there, or has its name: clients set other times. */
  readonly sinceMs: number;
}

/** The files in a home's outbox, the oldest first; none where there is no such home. */
export async function listOutbox(data: string, home: string): Promise<Waiting[]> {
  const folder = join(homeFolder(data, home), 'outbox');
  const names = await readdir(folder, { encoding: 'buffer' }).catch(() => []);
  const found: Waiting[] = [];
  for (const name of names) {
    const path = Buffer.concat([Buffer.from(`${folder}/`), name]);
    const facts = await lstat(path).catch(() => null);
    if (facts?.isFile()) found.push({ path, sinceMs: facts.ctimeMs });
  }
  return found.sort((a, b) => a.sinceMs - b.sinceMs);
}
