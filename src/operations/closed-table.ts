// The operations for which nobody opens the ledgers: they need none, or open them in their own way. And who runs each: a part of all operations (table.ts).
import { acts, type Closed, looks } from './entry.ts';

// biome-ignore format: one row, one operation
export const CLOSED_OPERATIONS = {
  'alarm.list': { runBy: 'daemon', ...looks('list the alarms that stand, and the channels that could not tell their last digest', () => import('./alarms.ts'), 'alarmList') },
  'alarm.test': { runBy: 'daemon', ...acts('send a test on each channel now. Exit status 1 when one does not take it', () => import('./alarm-test.ts'), 'alarmTest') },
  'audit.list': { runBy: 'daemon', ...looks('list acts of people, the latest first: when, who, what, with what, and what it has changed', () => import('./audit.ts'), 'auditList') },
  'audit.verify': { runBy: 'daemon', ...looks('see whether the audit trail is whole, and name the first line that is not. Exit status 1 when it is not', () => import('./audit-verify.ts'), 'auditVerify') },
  validate: { runBy: 'daemon', ...looks("judge a document by the network's rules, and say what stands where each mistake is; nothing of it is kept", () => import('./validate.ts'), 'validate') },
  'check-config': { runBy: 'asker', ...looks('read the configuration, try what serve will, and print what is in force, with every default', () => import('./checks.ts'), 'checkConfig') },
  doctor: { runBy: 'asker', ...looks('look whether the installation is well, and say how to mend what is not. Exit status 1 when something is not', () => import('./checks.ts'), 'doctor') },
  backup: { runBy: 'asker', ...acts('write ledgers, keys, spool and homes into one file, also while the daemon runs, and read it again', () => import('./backup.ts'), 'backup') },
  restore: { runBy: 'asker alone', ...acts('put a backup into an empty data folder', () => import('./backup.ts'), 'restore') },
  'copy-ledgers': { runBy: 'asker alone', ...acts('copy both ledgers to the other engine, and compare; files stay where they are', () => import('./copy-ledgers.ts'), 'copyLedgers') },
  recover: { runBy: 'asker alone', ...acts("bring the gateway's ledger and its spool together", () => import('./recover.ts'), 'recover') },
  'recover.new-key': { runBy: 'asker alone', ...acts('make do with another key file than the one that was lost, and list what must be set anew', () => import('./new-key.ts'), 'newKey') },
} as const satisfies Readonly<Record<string, Closed>>;

export type ClosedName = keyof typeof CLOSED_OPERATIONS;

export function isClosed(name: string): name is ClosedName {
  return Object.hasOwn(CLOSED_OPERATIONS, name);
}
