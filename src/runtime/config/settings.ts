// The table of all settings: one row each with kind, default and sentence. The type, the annotated file and the checks come from it.
import { EXCHANGED_PROFILES } from '#domain/profiles.ts';
import { RECEIPT_FORMS } from '#domain/receipt-forms.ts';
import { mailAddress, mailAddresses, mailServer, webhookUrl } from './alarm-kinds.ts';
import { databaseUrl } from './database.ts';
import {
  address,
  choice,
  choices,
  content,
  count,
  countryCode,
  duration,
  hostName,
  type Kind,
  nameServers,
  networks,
  nodeName,
  orNull,
  orOff,
  path,
  serviceUrl,
  size,
  tcpAddress,
} from './kinds.ts';
import { lastDay, listeners, profile } from './listeners.ts';
import { queueUrl } from './queue.ts';
import { tls } from './tls.ts';

export interface Setting<Value> {
  readonly kind: Kind<Value>;
  /** As it is written in YAML. */
  readonly default: string | number | boolean | null | readonly string[];
  readonly sentence: string;
  /** When another value of the file comes into force; 'if set': neither comes where none was, nor goes. */
  readonly change: 'at start' | 'at reload' | 'at reload, if set';
}

interface Section<Rows> {
  readonly sentence: string;
  readonly rows: Rows;
}

function setting<Value>(kind: Kind<Value>, byDefault: Setting<Value>['default'], sentence: string): Setting<Value> {
  return { kind, default: byDefault, sentence, change: 'at start' };
}

/** A setting that every part reads when it uses it, so that it may change while the daemon runs. */
function live<Value>(kind: Kind<Value>, byDefault: Setting<Value>['default'], sentence: string): Setting<Value> {
  return { kind, default: byDefault, sentence, change: 'at reload' };
}

/** Files that are read again: what they held before is replaced. */
function renewed<Value>(kind: Kind<Value>, byDefault: Setting<Value>['default'], sentence: string): Setting<Value> {
  return { kind, default: byDefault, sentence, change: 'at reload, if set' };
}

function section<Rows>(sentence: string, rows: Rows): Section<Rows> {
  return { sentence, rows };
}

// biome-ignore format: one row, one setting
export const SETTINGS = {
  role:        setting(choice('all', 'gateway', 'core'), 'all', 'What this process runs: the gateway (SFTP and folders), the core (the exchange service), or all.'),
  environment: setting(choice('test', 'production'), 'test', 'API keys are made for one environment and are refused in the other.'),
  data:        setting(path, './data', 'Ledgers, keys, spool and homes. A relative path counts from the folder where dropgate is started.'),
  masterKey:   setting(orNull(path), null, 'File of 32 random bytes that secrets in the ledgers are sealed with; null is keys/secret.key below data. It is made with the first ledger; ledgers without theirs are refused.'),
  database: section('Where the ledgers are: SQLite files in data, or PostgreSQL 14 or newer.', {
    url:         setting(orNull(databaseUrl), null, 'PostgreSQL: postgres://ROLE@HOST:PORT/DATABASE, or postgres://ROLE@%2Frun%2Fpostgresql/DATABASE for a unix socket; null is SQLite.'),
    password:    setting(orNull(content), null, 'The password of the role, as PATH, {file: PATH} or {env: NAME}; null is none.'),
    sslmode:     setting(orNull(choice('verify-full', 'disable')), null, 'How the connection is protected: verify-full, by TLS whose certificate names the host; disable, not at all. null is disable for loopback and unix sockets, and verify-full otherwise.'),
    ca:          setting(orNull(content), null, 'PEM file of the authority that certifies the server, or {file: PATH} or {env: NAME}; null are those that everybody trusts.'),
    connections: setting(count(2, 1_000), 10, 'Connections of each of the two ledgers that write at the same time; as many read.'),
  }),
  queue: section('How a core on another machine rings the gateways when something is new for them. Nothing depends on it: they ask the service all the same.', {
    url:      setting(orNull(queueUrl), null, 'Redis 6.2 or newer: redis://HOST:PORT/NUMBER, or rediss:// by TLS, which every other machine needs; the same for all processes that are to ring each other. Several cores count in it, too, what callers spend of their budgets. null is none.'),
    password: setting(orNull(content), null, 'Its password, as PATH, {file: PATH} or {env: NAME}; null is none.'),
    ca:       setting(orNull(content), null, 'PEM file of the authority that certifies the server, or {file: PATH} or {env: NAME}; null are those that everybody trusts.'),
  }),
  node:        setting(orNull(nodeName), null, 'The name of this process, such as a, among several gateways that share one database and one data folder, or several cores that share one database; each has its own. null works alone. See docs/cluster.md.'),
  cluster: section('How nodes share homes. The same for all of them.', {
    lease: setting(duration('1s', '5m'), '20s', 'A node that the database has not heard of for so long has ended: it ends itself, and others take its homes.'),
    calm:  setting(duration('0s', '1h'), '30s', 'So long no node must have come or gone before one gives a home to another that would share the work better.'),
  }),
  log: section('The log: one line per fact on standard output.', {
    format: setting(choice('auto', 'json', 'pretty'), 'auto', 'Its form. json: for programs; pretty: for people, in local time; auto: pretty where standard output is a terminal, json otherwise.'),
    level:  live(choice('debug', 'info', 'warn', 'error'), 'info', 'info: custody changed; warn: will be retried; error: somebody must look.'),
  }),
  shutdown: section('How the daemon stops.', {
    drain: live(duration('1s', '10m'), '30s', 'After SIGTERM, how long running work may take to end.'),
  }),
  sftp: section('The SFTP server.', {
    listen:                      setting(tcpAddress, '127.0.0.1:2222', 'Address and port; 0.0.0.0:2222 is every IPv4 address of the machine, port 0 any free one.'),
    profile:                     setting(profile, 'compat', 'Algorithms. strict: the post-quantum exchange only; compat: every client of the last ten years; legacy: SHA-1, CBC and ssh-rsa, too, for very old ERPs, and each use is logged.'),
    legacyUntil:                 setting(orNull(lastDay), null, 'The last day of profile legacy, such as 2027-03-31 (UTC), which needs one; from then on it is compat.'),
    proxies:                     setting(networks, false, 'Proxies in front, as a list of addresses and networks: their connections begin with a PROXY header, version 1 or 2, and everybody else comes as they are.'),
    moreListeners:               setting(listeners, [], 'Further addresses to listen on, each with its own of the four settings above: [{listen: 0.0.0.0:2223, profile: legacy, legacyUntil: 2027-03-31}].'),
    fileMax:                     live(size('1KiB', '100MiB'), '20MiB', 'Largest file; a larger one fails while it is uploaded. In a folder it is refused with a receipt.'),
    loginDeadline:               live(duration('1s', '10m'), '30s', 'A connection that has not logged in by then is closed.'),
    loginTries:                  live(count(1, 100), 3, 'Failed tries before the connection is closed; asking whether a public key is known does not count.'),
    unauthenticatedMax:          live(count(1, 100_000), 100, 'Connections that have not logged in yet, together; a further one takes the place of one of the network that has most.'),
    unauthenticatedPerAddressMax: live(count(1, 100_000), 10, 'The same for one address, of IPv6 for its /64; 20 more are queued for up to 5 seconds.'),
    arrivalsPerSecond:           live(count(1, 100_000), 5, 'New connections of one address in a second; those that log in do not count.'),
    arrivalsBurst:               live(count(1, 100_000), 20, 'New connections that an address may open at once when it has not for a while.'),
    allow:                       live(networks, false, 'Addresses and networks that may connect, as a list: [10.0.0.5, 10.1.0.0/16]; false is all. Neither penalties nor arrivalsPerSecond concern them.'),
    deny:                        live(networks, false, 'Addresses and networks that may not connect, whatever allow says.'),
    exempt:                      live(networks, ['127.0.0.0/8', '::1'], 'Addresses and networks that neither penalties for failed logins nor arrivalsPerSecond concern; false is none, which is right behind a proxy on this machine.'),
    sessionsPerLoginMax:         live(count(1, 100_000), 20, 'Connections of one login at the same time.'),
    channelsMax:                 live(count(1, 64), 4, 'SFTP channels in one connection.'),
    handlesMax:                  live(count(1, 4_096), 64, 'Open files and folders in one channel.'),
    idle:                        live(duration('10s', '24h'), '15m', 'A connection without any request for so long is closed.'),
    linger:                      live(duration('1s', '24h'), '60s', 'How long an uploaded file stays in sight after CLOSE; many clients look at it, set its time or rename it.'),
    partialsKept:                live(duration('1m', '30d'), '24h', 'How long a broken upload can be resumed, and a temporary name may wait for its rename.'),
    unfinishedMax:               live(size('100MiB', '10GiB'), '4GiB', 'Bytes of the uploads of one account that are broken, wait for their rename, or are under way, each of these as fileMax; beyond it the oldest broken ones go, then new uploads are refused.'),
    verdictWithin:               live(duration('100ms', '1m'), '2s', 'How long an upload of a login with verdicts at its end waits for one; where the judges are busy for longer it is taken, and judged before it is sent.'),
    itemsPerAccountMax:          live(count(1, 10_000_000), 100_000, 'Files of one account that may wait for the service.'),
  }),
  core: section('The core: the HTTP API of the exchange service.', {
    listen:      setting(address, '127.0.0.1:8080', 'Address and port, or unix:/path/to/socket. Plain HTTP is for loopback and sockets only; see tls and behindProxy.'),
    tls:         renewed(orNull(tls), null, 'Serve HTTPS: {cert: PATH, key: PATH} of PEM files; a key may also be {file: PATH} or {env: NAME}.'),
    behindProxy: live(networks, false, 'Proxies in front that do TLS, as a list of addresses and networks: [10.0.0.5, 10.1.0.0/16]. Then plain HTTP on any address is allowed, for them and this machine only.'),
    bodyMax:     setting(size('1KiB', '100MiB'), '20MiB', 'Largest request body.'),
    requests:    live(count(1, 10_000_000), 6000, 'Requests that an account may make in one window.'),
    window:      setting(duration('1s', '1h'), '60s', 'Length of that window; it begins with the first request.'),
    keepMessages: live(orNull(duration('30d', '3650d')), '730d', 'How long messages are kept with their documents, since they were stored, changed and read last; never one that is unread or still owed to the network. Their numbers stay taken, and their digests known. null is for ever.'),
    network: section('Where documents go whose receiver is no account of this core, and how others reach it.', {
      kind:                   setting(choice('local', 'peppol'), 'local', 'local: nowhere, such a receiver is unknown. peppol: receivers are looked up in the Peppol network and reached by an access point.'),
      country:                setting(orNull(countryCode), null, 'Country of senders whose account tells none, two letters such as SE; peppol needs it.'),
      sml:                    setting(orNull(hostName), null, 'DNS zone in which participants are registered; null is that of Peppol for the environment.'),
      smpAuthorities:         setting(orNull(content), null, 'PEM file of the authorities that certify SMPs; null checks that signatures hold, but not who made them. Production needs it.'),
      accessPointAuthorities: setting(orNull(content), null, 'PEM file of the authorities that certify access points; null leaves it to your access point whether it trusts that of the receiver.'),
      outage:                 live(choice('queue', 'refuse'), 'queue', 'While DNS or SMP cannot say whether a receiver is there: queue takes the document and asks again; refuse answers 500, so that the client asks again.'),
      giveUp:                 live(duration('1m', '30d'), '72h', 'How long a document is tried before it has failed.'),
      resendAfter:            setting(duration('1s', '1d'), '10m', 'For http: how long after a hand-over whose answer was lost the access point may still be busy with it. Only when it does not know the document after that is it given to it again; longer than anything takes there before it stores a document.'),
      accessPoint:            setting(choice('folder', 'http'), 'folder', 'How the access point is reached: by a folder that both see, or by HTTP as phoss-ap has it.'),
      folder:                 setting(orNull(path), null, 'For folder: what holds out/ and in/.'),
      results:                setting(choice('expected', 'none'), 'expected', 'For folder: whether the access point writes result files; without them a document that it took away counts as sent.'),
      url:                    setting(orNull(serviceUrl), null, 'For http: the base address of the access point, loopback or not.'),
      token:                  setting(orNull(content), null, 'For http: the secret that both show in the header X-Token, as PATH, {file: PATH} or {env: NAME}. Without it nothing is received by HTTP.'),
      verify:                 live(choice('refuse', 'warn', 'off'), 'refuse', 'For http, where the access point has what it receives verified by Dropgate: refuse turns documents that break rules away before their senders are told that they were accepted; warn only tells; off passes all. Accounts may have their own.'),
      watch:                  setting(choice('daily', 'off'), 'daily', 'For peppol: daily looks the participants of all accounts up as a stranger would, each at its moment of the day, and tells what differs from what it should be.'),
      watchProfiles:          setting(choices(EXCHANGED_PROFILES.keys()), ['peppol-billing'], 'Profiles whose documents every participant is to be registered for, as a list: [peppol-billing, order].'),
      ownAccessPoint:         setting(orNull(serviceUrl), null, 'The address of your access point as SMPs name it; a participant that is registered for another one is told. null holds to the address at which each was found first.'),
    }),
  }),
  admin: section('A listener for those who watch over the daemon: /livez, /readyz and /metrics, without a login; and the page, for operators (dropgate operator add).', {
    listen: setting(orOff(tcpAddress), '127.0.0.1:8082', 'Address and port, port 0 any free one; off listens nowhere. Plain HTTP is for loopback only; see tls.'),
    tls:    renewed(orNull(tls), null, 'Serve HTTPS: {cert: PATH, key: PATH} of PEM files; a key may also be {file: PATH} or {env: NAME}.'),
  }),
  outbound: section('Requests that the core makes to addresses that others have named, such as webhooks. They reach public addresses only.', {
    allow: live(networks, false, 'Other addresses and networks that they may reach, as a list: [10.0.0.5, 10.1.0.0/16]; false is none.'),
    deny:  live(networks, false, 'Public addresses and networks that they may not reach, as a list, for example a prefix by which this network translates to IPv4 (NAT64); false is none.'),
    ca:    setting(orNull(content), null, 'PEM file of authorities to trust beside those that everybody trusts, or {file: PATH} or {env: NAME}.'),
    dns:   setting(nameServers, false, 'DNS servers, as a list: [10.0.0.2, "10.0.0.3:5353"]; false are those of the machine. /etc/hosts does not count.'),
  }),
  webhooks: section('Events for subscribers.', {
    keepDead: live(duration('1h', '3650d'), '30d', 'How long an event that was given up can be sent again by an operator.'),
  }),
  alarms: section('What an administrator is told: what began, happened or ended, together in digests, as files in alarms/ below data, by mail and to a webhook.', {
    digest:      live(duration('1m', '24h'), '15m', 'How often a digest comes at the most; the first one comes within two minutes.'),
    rhythm:      live(choice('learn', 'off'), 'learn', 'Accounts that usually send and are silent. learn: each is held against its own days of the last quarter; off: no such alarm.'),
    diskFree:    live(size('1MiB', '10000GiB'), '2GiB', 'An alarm stands, and doctor warns, while the file system of data has less room.'),
    certificate: live(duration('1d', '365d'), '21d', 'How long before its last day a certificate is told.'),
    mail: section('By mail, where to names somebody.', {
      to:       live(mailAddresses, false, 'Who is told, as a list: [ops@example.com]; false is nobody.'),
      from:     live(orNull(mailAddress), null, 'The sender that the mail names.'),
      server:   live(orNull(mailServer), null, 'The mail server: smtp://HOST:PORT, which must offer STARTTLS unless it is on this machine, or smtps://HOST:PORT.'),
      user:     live(orNull(content), null, 'The user at the server, as PATH, {file: PATH} or {env: NAME}; null logs in nowhere.'),
      password: live(orNull(content), null, 'Its password, as PATH, {file: PATH} or {env: NAME}.'),
      ca:       live(orNull(content), null, 'PEM file of the authority that certifies the server; null are those that everybody trusts.'),
    }),
    webhook: section('By POST of JSON, where url names an address; its field text is for chats.', {
      url:    live(orNull(webhookUrl), null, 'The address, private or not, for you have named it; {file: PATH} or {env: NAME} where it is a secret. outbound.ca and outbound.dns hold for it.'),
      secret: live(orNull(content), null, 'Signs each request as Standard Webhooks does, as PATH, {file: PATH} or {env: NAME}; null signs none.'),
    }),
  }),
  service: section('The exchange service that the gateway submits to.', {
    url: setting(orNull(serviceUrl), null, 'Base address of a remote service; null is the embedded core. Role gateway needs it.'),
  }),
  hints: section('A listener to which a remote service may post that something is new, for accounts that want it (account set --hints on). Polling goes on all the same.', {
    listen:      setting(orNull(tcpAddress), null, 'Address and port; null listens nowhere. Plain HTTP is for loopback only; see tls and behindProxy.'),
    tls:         renewed(orNull(tls), null, 'Serve HTTPS: {cert: PATH, key: PATH} of PEM files; a key may also be {file: PATH} or {env: NAME}.'),
    behindProxy: live(networks, false, 'Proxies in front that do TLS, as a list of addresses and networks. Then plain HTTP on any address is allowed, for them and this machine only.'),
    url:         setting(orNull(serviceUrl), null, 'The https address by which the service reaches this listener, which is registered there; null registers nowhere.'),
  }),
  gateway: section('The gateway: from a dropped file to its receipt, and from the service to the outbox.', {
    watch:             setting(choice('events', 'polling'), 'events', 'How folders are watched. events: what the system reports, and rounds over all folders; NFS, SMB and FUSE are recognised and polled. polling: rounds only.'),
    watched:           setting(count(0, 100_000), 200, 'Folders of which the system reports changes at once: those that were used last. All others are looked at in rounds, every rescan.'),
    settle:            live(duration('100ms', '10m'), '5s', 'A file in a folder is taken when it has not changed for so long.'),
    incomplete:        live(duration('1s', '24h'), '10m', 'How long a file in a folder whose document merely ends early is waited for before it is taken as it is.'),
    answerAfter:       live(duration('1s', '24h'), '1m', 'How long an order must lie in a folder of answer before it is answered; until then it may be moved back.'),
    rescan:            live(duration('1s', '1h'), '10s', 'How often each folder is looked at, whatever is reported; where there are many it takes longer, see docs/operations.md.'),
    submits:           setting(count(1, 1_000), 64, 'Documents under way to the service at the same time.'),
    validate:          setting(choice('local', 'core'), 'core', 'Who judges a document by the rules before it is sent: local, the gateway, so that a bad one costs no request; core, the service alone. Accounts may differ (account set --validate).'),
    receipts:          setting(choice(...RECEIPT_FORMS), 'json', 'Form of receipts: JSON, text with key=value lines for programs without JSON, a table (csv), or an ApplicationResponse (ubl).'),
    keepAccepted:      live(duration('1h', '3650d'), '30d', 'How long originals that the service took stay in accepted/.'),
    keepReceipts:      live(duration('1h', '3650d'), '90d', 'How long receipts, and originals that were refused, stay.'),
    keepItems:         live(orNull(duration('1d', '3650d')), '730d', 'How long the ledger keeps files that have ended, with their attempts and receipts, and what was put into outboxes; never shorter than keepAccepted and keepReceipts. That a file was sent stays known by its digest. null is for ever.'),
    keepFailedUploads: live(duration('1h', '3650d'), '30d', 'How long uploads that came to nothing are remembered, the last 200 of each home.'),
    outbox:            live(choice('keep', 'downloaded'), 'keep', 'What removes a document from an outbox. keep: only the client; downloaded: a complete download over SFTP as well.'),
    keepOutbox:        live(orNull(duration('1h', '3650d')), null, 'How long a document may lie in an outbox before it is removed; null is for ever.'),
    pickupAlarm:       live(orNull(duration('1h', '365d')), '72h', 'After how long in an outbox an error is logged, once a day for each home; null is never.'),
    archive:           live(orNull(duration('1h', '3650d')), null, 'How long a copy of each received document, each original that the service took and each receipt is kept in archive/ below data; null keeps none.'),
    reconcile:         setting(duration('1m', '7d'), '6h', 'How often the whole recent list of an account is compared with what was published.'),
    poll:              setting(duration('1s', '24h'), '60s', 'How often the service is asked for documents of an active account when it gives no hints.'),
    pollSilent:        setting(duration('1s', '24h'), '10m', 'The same for accounts that received nothing lately.'),
    requestTimeout:    setting(duration('1s', '10m'), '60s', 'A request to the service that takes longer has an unknown outcome and is asked again.'),
  }),
};

/** A table without its types: what the engine walks. */
export interface Table {
  readonly [key: string]: Setting<unknown> | Section<Table>;
}

/** The values that a table's settings have. */
export type ValuesOf<Rows> = {
  readonly [Key in keyof Rows]: Rows[Key] extends Setting<infer Value>
    ? Value
    : Rows[Key] extends Section<infer Inner>
      ? ValuesOf<Inner>
      : never;
};
