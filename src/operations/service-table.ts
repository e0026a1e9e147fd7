// Operations on what the service does beside the gateway: webhooks, the network, and the archive; a part of all operations (table.ts).
import type { OnLedgers } from './entry.ts';

export const SERVICE_OPERATIONS = {
  'webhook.add': {
    does: 'have events of an account or partner posted to an address',
    kind: 'acts',
    load: async () => (await import('./webhook-changes.ts')).add,
  },
  'webhook.set': {
    does: 'change where events of a subscription are posted, or which; it is enabled with it',
    kind: 'acts',
    load: async () => (await import('./webhook-changes.ts')).set,
  },
  'webhook.disable': {
    does: 'nothing more is posted, and events that wait are given up; its holder, too, may enable it again',
    kind: 'acts',
    load: async () => (await import('./webhook-changes.ts')).disable,
  },
  'webhook.enable': {
    does: 'events are posted again, from now on',
    kind: 'acts',
    load: async () => (await import('./webhook-changes.ts')).enable,
  },
  'webhook.remove': {
    does: 'forget a subscription, its authentication, and the events that it is still owed',
    kind: 'acts',
    load: async () => (await import('./webhook-changes.ts')).remove,
  },
  'webhook.list': {
    does: 'list the subscriptions: whose, where to, and how they fare',
    kind: 'looks',
    load: async () => (await import('./webhooks.ts')).list,
  },
  'webhook.show': {
    does: 'everything known of one subscription',
    kind: 'looks',
    load: async () => (await import('./webhooks.ts')).show,
  },
  'webhook.dead': {
    does: 'list the events that were given up, the latest first',
    kind: 'looks',
    load: async () => (await import('./webhooks.ts')).dead,
  },
  'webhook.replay': {
    does: 'send again what was given up: events by their ids, or all of a subscription',
    kind: 'acts',
    load: async () => (await import('./webhooks.ts')).replay,
  },
  'webhook.sign': {
    does: 'have the deliveries of a subscription signed; the new secret is shown once',
    kind: 'acts',
    load: async () => (await import('./webhooks.ts')).sign,
  },
  'transmission.list': {
    does: 'list what waits, what the access point has, and what failed, the latest first; 10000 at most',
    kind: 'looks',
    load: async () => (await import('./transmissions.ts')).list,
  },
  'transmission.show': {
    does: 'show one transmission, the statuses of its message, and what was answered to it',
    kind: 'looks',
    load: async () => (await import('./transmissions.ts')).show,
  },
  'transmission.retry': {
    does: 'have tried again what failed; its sender hears of it by further receipts',
    kind: 'acts',
    load: async () => (await import('./transmissions.ts')).retry,
  },
  'network.turned-away': {
    does: 'list documents that were turned away for what they break, the latest first; 10000 at most',
    kind: 'looks',
    load: async () => (await import('./network.ts')).turnedAway,
  },
  'network.show': {
    does: 'show a document that was turned away, with all that was found in it',
    kind: 'looks',
    load: async () => (await import('./network.ts')).show,
  },
  'network.document': {
    does: 'a document that was turned away, itself',
    kind: 'acts',
    load: async () => (await import('./network.ts')).document,
  },
  'network.check': {
    does: 'how strangers find the participants of accounts, those that differ first; 10000 at most. Exit status 1 when one differs',
    kind: 'looks',
    load: async () => (await import('./network.ts')).check,
  },
  'archive.verify': {
    does: 'name each file of the archive that was changed, removed or added since its day was closed',
    kind: 'looks',
    load: async () => (await import('./archive.ts')).archiveVerify,
  },
} as const satisfies Readonly<Record<string, OnLedgers>>;
