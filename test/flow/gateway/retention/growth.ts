// What bounds each table of both ledgers, and each folder of the data folder, over the years: a new one turns the ten years red until it stands here.

/** What bounds it. */
export const BOUNDED: Readonly<Record<string, string>> = {
  'gateway.accounts': 'those that are served',
  'gateway.logins': 'those that may come',
  'gateway.login_homes': 'logins, and the homes that they see',
  'gateway.revisions': 'one row',
  'gateway.items': 'keepItems',
  'gateway.attempts': 'those of their items',
  'gateway.deliveries': 'those of their items',
  'gateway.publications': 'keepItems, and what lies in outboxes',
  'gateway.fetches': 'those of their publications',
  'gateway.parties': 'participants, and how documents call them',
  'gateway.pauses': 'accounts and families',
  'gateway.last_logins': 'logins',
  'gateway.last_pickups': 'logins, and the homes that they see',
  'gateway.failed_uploads': 'keepFailedUploads, and 200 of each home',
  'gateway.sweeps': 'accounts and families',
  'gateway.processes': 'processes that live; one that died is forgotten by the next start',
  'gateway.homes_in_hand': 'homes',
  'gateway.epochs': 'one row',
  'core.accounts': 'those that are here',
  'core.participants': 'accounts and their addresses',
  'core.api_keys': 'accounts and their keys',
  'core.messages': 'keepMessages, and what nobody has read',
  'core.message_contents': 'those of their messages',
  'core.message_log': 'those of their messages',
  'core.transmissions': 'those of their messages',
  'core.responses': 'those of their messages, and those that belong to none',
  'core.idempotency_keys': 'a day',
  'core.enrichments': 'a day',
  'core.webhooks': 'subscriptions',
  'core.webhook_events': 'webhooks.keepDead, for what could not be delivered',
  'core.turned_away': '90 days, and a number of each account',
};

/** Why it is to grow. */
export const GROWS: Readonly<Record<string, string>> = {
  'gateway.sent_before': 'digests, so that a file that was sent is a duplicate for ever',
  'gateway.documents': 'so that what was received never comes a second time',
  'gateway.order_answers': 'so that no order is answered twice',
  'core.taken': 'digests, so that a number is taken for ever',
  'core.receptions': 'so that no envelope is taken twice',
};

/** What bounds it where it is used. */
export const UNUSED: Readonly<Record<string, string>> = {
  'gateway.partners': 'partners',
  'gateway.participants': 'addresses that an administrator has named',
  'gateway.hints': 'accounts',
  'gateway.login_keys': 'keys of logins',
  'gateway.drop_rules': 'homes',
  'gateway.rejects': 'a number in all',
  'gateway.silences': 'accounts and families',
  'gateway.stuck': 'documents of the service that cannot be published',
  'gateway.redeliveries': 'what somebody has ordered once more, until it is there',
  'gateway.turned_away_told': 'accounts',
  'gateway.reconciliations': 'owners of reconciliation files',
  'gateway.reconciliation_open': 'what is open at the end of the last day',
  'gateway.operators': 'operators',
  'gateway.takeovers': 'a number in all',
  'gateway.rings': 'what another process has not looked at yet',
  'core.partners': 'partners',
  'core.partner_links': 'partners and their children',
  'core.signing_keys': 'keys whose tokens may still be used',
  'core.watched': 'participants of accounts',
  'core.differences': 'what differs now, of each participant',
};

/** Names in the data folder, as patterns, and by how many files and folders more there may be in later years. */
export const FOLDERS: Readonly<Record<string, number>> = {
  '(core|gateway)\\.db(-wal|-shm)?': 0,
  'lock(\\.\\w+)?': 0,
  homes: 0,
  // Receipts of files that are dropped again.
  archive: 4,
  keys: 0,
  spool: 0,
  incarnations: 0,
  alarms: 0,
  // Files that are prepared, and not used yet.
  staged: 8,
};

/** And rows of a table, as what comes back drops one file more. What grows by one each year is found. */
export const ROWS_SPARE = 3;
