// The operations for which nobody opens the ledgers: they need none, or open them in their own way. And who runs each: a part of all operations (table.ts).
import type { Closed } from './entry.ts';

export const CLOSED_OPERATIONS = {
  'alarm.list': {
    does: 'list the alarms that stand, and the channels that could not tell their last digest',
    kind: 'looks',
    runBy: 'daemon',
    load: async () => (await import('./alarms.ts')).alarmList,
  },
  'alarm.test': {
    does: 'send a test on each channel now. Exit status 1 when one does not take it',
    kind: 'acts',
    runBy: 'daemon',
    load: async () => (await import('./alarm-test.ts')).alarmTest,
  },
  'audit.list': {
    does: 'list acts of people, the latest first: when, who, what, with what, and what it has changed',
    kind: 'looks',
    runBy: 'daemon',
    load: async () => (await import('./audit.ts')).auditList,
  },
  'audit.verify': {
    does: 'see whether the audit trail is whole, and name the first line that is not. Exit status 1 when it is not',
    kind: 'looks',
    runBy: 'daemon',
    load: async () => (await import('./audit-verify.ts')).auditVerify,
  },
  validate: {
    does: "judge a document by the network's rules, and say what stands where each mistake is; nothing of it is kept",
    kind: 'looks',
    runBy: 'daemon',
    load: async () => (await import('./validate.ts')).validate,
  },
  'check-config': {
    does: 'read the configuration, try what serve will, and print what is in force, with every default',
    kind: 'looks',
    runBy: 'asker',
    load: async () => (await import('./checks.ts')).checkConfig,
  },
  doctor: {
    does: 'look whether the installation is well, and say how to mend what is not. Exit status 1 when something is not',
    kind: 'looks',
    runBy: 'asker',
    load: async () => (await import('./checks.ts')).doctor,
  },
  backup: {
    does: 'write ledgers, keys, spool and homes into one file, also while the daemon runs, and read it again',
    kind: 'acts',
    runBy: 'asker',
    load: async () => (await import('./backup.ts')).backup,
  },
  restore: {
    does: 'put a backup into an empty data folder',
    kind: 'acts',
    runBy: 'asker alone',
    load: async () => (await import('./backup.ts')).restore,
  },
  'copy-ledgers': {
    does: 'copy both ledgers to the other engine, and compare; files stay where they are',
    kind: 'acts',
    runBy: 'asker alone',
    load: async () => (await import('./copy-ledgers.ts')).copyLedgers,
  },
  recover: {
    does: "bring the gateway's ledger and its spool together",
    kind: 'acts',
    runBy: 'asker alone',
    load: async () => (await import('./recover.ts')).recover,
  },
  'recover.new-key': {
    does: 'make do with another key file than the one that was lost, and list what must be set anew',
    kind: 'acts',
    runBy: 'asker alone',
    load: async () => (await import('./new-key.ts')).newKey,
  },
} as const satisfies Readonly<Record<string, Closed>>;

export type ClosedName = keyof typeof CLOSED_OPERATIONS;

export function isClosed(name: string): name is ClosedName {
  return Object.hasOwn(CLOSED_OPERATIONS, name);
}
