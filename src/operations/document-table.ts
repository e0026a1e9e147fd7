// Operations on documents, dropped and received, and on what moves them: a part of all operations (table.ts).
import type { OnLedgers } from './entry.ts';

export const DOCUMENT_OPERATIONS = {
  find: {
    does: 'find dropped, received and failed documents by number, file name, participant, company name, integrationId or the letters of a receipt',
    kind: 'looks',
    load: async () => (await import('./find.ts')).find,
  },
  status: {
    does: 'what needs a person first, what waits, and what became of the documents of today',
    kind: 'looks',
    load: async () => (await import('./status.ts')).status,
  },
  activity: {
    does: 'what the daemon did in the last minutes, a day at the most: files dropped, ended and received, and how late its event loop was',
    kind: 'looks',
    load: async () => (await import('./activity.ts')).activity,
  },
  usage: {
    does: 'what was exchanged in a month, by partner, account, family and country: what partners bill by',
    kind: 'looks',
    load: async () => (await import('./usage.ts')).usage,
  },
  items: {
    does: 'list dropped files and what became of them, the newest first',
    kind: 'looks',
    load: async () => (await import('./items.ts')).items,
  },
  item: {
    does: 'everything known of one dropped file',
    kind: 'looks',
    load: async () => (await import('./items.ts')).item,
  },
  receipts: {
    does: 'the receipts of a dropped file as its sender finds them, and the lines of the document that their findings name',
    kind: 'looks',
    load: async () => (await import('./contents.ts')).receipts,
  },
  document: {
    does: 'a dropped file itself, as it came, or one of its receipts',
    kind: 'acts',
    load: async () => (await import('./contents.ts')).document,
  },
  received: {
    does: 'a received document itself, as it lies in the outbox',
    kind: 'acts',
    load: async () => (await import('./contents.ts')).received,
  },
  cancel: {
    does: 'take a dropped file back: it is not sent, its receipt says so, and its original goes to refused',
    kind: 'acts',
    load: async () => (await import('./items.ts')).cancel,
  },
  resend: {
    does: 'send a held or refused item again, or one that the network has refused',
    kind: 'acts',
    load: async () => (await import('./resend.ts')).resend,
  },
  resubmit: {
    does: 'after the service was restored from a backup: send again what it accepted since, unless it has it',
    kind: 'acts',
    load: async () => (await import('./resend.ts')).resubmit,
  },
  outbox: {
    does: 'show what lies in outboxes, and documents that could not be put there',
    kind: 'looks',
    load: async () => (await import('./outbox.ts')).outbox,
  },
  nodes: {
    does: 'the gateways that share the homes of one database: how long their leases hold, and how many homes each has; or who took over from whom',
    kind: 'looks',
    load: async () => (await import('./nodes.ts')).nodes,
  },
  connections: {
    does: 'show who is connected by SFTP and what each does, or who did not get in',
    kind: 'looks',
    load: async () => (await import('./connections.ts')).connections,
  },
  redeliver: {
    does: 'put a received document into the outbox once more',
    kind: 'acts',
    load: async () => (await import('./outbox.ts')).redeliver,
  },
  'mark-unread': {
    does: 'have the service hand a received document out as unread again, to others that read them',
    kind: 'acts',
    load: async () => (await import('./outbox.ts')).markUnread,
  },
} as const satisfies Readonly<Record<string, OnLedgers>>;
