// Every operation by its name, which is that of its command: what it does, whether it only looks, and where it is. An operation is loaded when
// it runs, so that a command which asks a running daemon loads none.
import type { Static } from 'typebox';
import { isRecord } from '#domain/json.ts';
import { CLOSED_OPERATIONS, isClosed } from './closed-table.ts';
import { acts, handsOut, looks, type OnLedgers, type RunBy } from './entry.ts';

const accountChanges = () => import('./account-changes.ts');
const accountData = () => import('./account-data.ts');
const accountKeys = () => import('./account-keys.ts');
const accounts = () => import('./accounts.ts');
const contents = () => import('./contents.ts');
const items = () => import('./items.ts');
const loginChanges = () => import('./login-changes.ts');
const logins = () => import('./logins.ts');
const network = () => import('./network.ts');
const operators = () => import('./operators.ts');
const outbox = () => import('./outbox.ts');
const partnerChanges = () => import('./partner-changes.ts');
const partners = () => import('./partners.ts');
const resend = () => import('./resend.ts');
const transmissions = () => import('./transmissions.ts');
const webhookChanges = () => import('./webhook-changes.ts');
const webhooks = () => import('./webhooks.ts');

// biome-ignore format: one row, one operation
const ON_LEDGERS = {
  // Documents, dropped and received, and what moves them.
  find: looks('find dropped, received and failed documents by number, file name, participant, company name, integrationId or the letters of a receipt', () => import('./find.ts'), 'find'),
  status: looks('what needs a person first, what waits, and what became of the documents of today', () => import('./status.ts'), 'status'),
  activity: looks('what the daemon did in the last minutes, a day at the most: files dropped, ended and received, and how late its event loop was', () => import('./activity.ts'), 'activity'),
  usage: looks('what was exchanged in a month, by partner, account, family and country: what partners bill by', () => import('./usage.ts'), 'usage'),
  items: looks('list dropped files and what became of them, the newest first', items, 'items'),
  item: looks('everything known of one dropped file', items, 'item'),
  receipts: looks('the receipts of a dropped file as its sender finds them, and the lines of the document that their findings name', contents, 'receipts'),
  document: acts('a dropped file itself, as it came, or one of its receipts', contents, 'document'),
  received: acts('a received document itself, as it lies in the outbox', contents, 'received'),
  cancel: acts('take a dropped file back: it is not sent, its receipt says so, and its original goes to refused', items, 'cancel'),
  resend: acts('send a held or refused item again, or one that the network has refused', resend, 'resend'),
  resubmit: { ...acts('after the service was restored from a backup: send again what it accepted since, unless it has it', resend, 'resubmit'), onlyAsks: isDryRun },
  outbox: looks('show what lies in outboxes, and documents that could not be put there', outbox, 'outbox'),
  nodes: looks('the gateways that share the homes of one database: how long their leases hold, and how many homes each has; or who took over from whom', () => import('./nodes.ts'), 'nodes'),
  connections: looks('show who is connected by SFTP and what each does, or who did not get in', () => import('./connections.ts'), 'connections'),
  redeliver: acts('put a received document into the outbox once more', outbox, 'redeliver'),
  'mark-unread': acts('have the service hand a received document out as unread again, to others that read them', outbox, 'markUnread'),
  // Accounts, partners, logins and operators.
  apply: acts('make the accounts, partners and logins that a file declares; API keys that are made are shown once', () => import('./apply.ts'), 'apply'),
  export: looks('print accounts, partners and logins in the form that apply reads; API keys are not in it', () => import('./export.ts'), 'exportAll'),
  'account.export': handsOut('write everything that there is of an account into a new folder: its rows as JSON, its documents, home and archive as they are', accountData, 'accountExport'),
  'account.erase': { ...acts('erase everything that there is of a disabled account; digests stay, by which what it has sent is known', accountData, 'accountErase'), onlyAsks: isDryRun },
  'account.add': acts('add an account; its API key is shown once', accountKeys, 'add'),
  'account.set': acts('change what an account may do', accountChanges, 'set'),
  'account.receiving': { ...acts('change how documents are received for an account, and print its rules', accountChanges, 'receiving'), onlyAsks: (input) => isRecord(input) && isRecord(input.rules) && Object.keys(input.rules).length === 0 },
  'account.add-participant': acts('give an account one more Peppol address', accountChanges, 'addParticipant'),
  'account.remove-participant': acts('take a Peppol address away from an account', accountChanges, 'removeParticipant'),
  'account.rotate-key': acts('make a new API key, shown once; the gateway takes its own new one by itself', accountKeys, 'rotateKey'),
  'account.take-back': acts('take an account, or a number that was reserved, back from the partners that act for it: links, keys, tokens and webhooks end at once', accountKeys, 'takeBack'),
  'account.list': looks('list the accounts', accounts, 'list'),
  'account.show': looks('everything that is set about one account', accounts, 'show'),
  'account.disable': acts('its logins no longer see it, and its API keys are refused; nothing is deleted', accounts, 'disable'),
  'account.enable': acts('it is served again, and its API keys are taken', accounts, 'enable'),
  'account.remove': acts('forget an account; the files of its home stay on disk', accounts, 'remove'),
  'partner.add': acts('add a partner; its API key is shown once', partnerChanges, 'add'),
  'partner.set': acts("change a partner's name, its limits, or the login that sees its children", partnerChanges, 'set'),
  'partner.link': acts("let a partner act for an account, and its login see the account's home", partnerChanges, 'link'),
  'partner.unlink': acts('a partner may act for an account no more; its tokens for it end at once', partnerChanges, 'unlink'),
  'partner.rotate-key': acts('make a new API key, shown once; the gateway takes its own new one by itself', partnerChanges, 'rotateKey'),
  'partner.list': looks('list the partners, and the accounts that each may act for', partners, 'list'),
  'partner.show': looks('everything that is set about one partner, and its children', partners, 'show'),
  'partner.children': looks('list the accounts that a partner acts for on this gateway: folder, state, addresses', partners, 'children'),
  'partner.disable': acts('it may do nothing and hears nothing, at once; nothing is deleted', partners, 'disable'),
  'partner.enable': acts('it may act for its accounts again', partners, 'enable'),
  'partner.remove': acts('unlink all its accounts and forget it; accounts, logins and files stay', partners, 'remove'),
  'login.add': acts('add a login; an account of the core that has no home here gets one', loginChanges, 'add'),
  'login.set-password': acts('set a new password: one made up here and shown once, or the one on standard input', loginChanges, 'setPassword'),
  'login.add-key': acts('let a login in by the public keys of a file', loginChanges, 'addKey'),
  'login.remove-key': acts('let a login in no more by the public keys of a file', loginChanges, 'removeKey'),
  'login.add-home': acts('let a login see one more account, in a folder of its own', loginChanges, 'addHome'),
  'login.remove-home': acts('let a login see an account no more; files stay', loginChanges, 'removeHome'),
  'login.rename-folder': acts('give a folder of a login another name (. is the top): tell those whose scripts have the old', loginChanges, 'renameFolder'),
  'login.list': looks('list the logins', logins, 'list'),
  'login.show': looks('everything that is set about one login', logins, 'show'),
  'login.set': acts('change the rules that a login is held to; a running daemon, and its sessions, follow within two seconds', logins, 'set'),
  'login.disable': acts('nobody gets in by it, and its sessions end; it keeps what it has', logins, 'disable'),
  'login.enable': acts('let it in again', logins, 'enable'),
  'login.remove': acts('remove a login; homes and files stay', logins, 'remove'),
  'operator.add': acts('let somebody log in to the page of the admin listener; a password that is made up is shown once', operators, 'add'),
  'operator.list': looks('list who may log in to the page', operators, 'list'),
  'operator.set': acts('change what an operator may do, and whether a code is asked beside the password', operators, 'set'),
  'operator.set-password': acts('set a new password: one made up here and shown once, or the one on standard input; all sessions of the operator end', operators, 'setPassword'),
  'operator.disable': acts('the operator gets in no more, and all sessions end at once', operators, 'disable'),
  'operator.enable': acts('let the operator in again', operators, 'enable'),
  'operator.remove': acts('forget an operator; all sessions end at once, and what was done stays in the audit trail', operators, 'remove'),
  'connection-kit': handsOut('write a folder for the people at the other end of a login: host keys, scripts, the contract of the folders; no secret is in it', () => import('./connection-kit.ts'), 'connectionKit'),
  // What the service does beside the gateway: webhooks, the network, and the archive.
  'webhook.add': acts('have events of an account or partner posted to an address', webhookChanges, 'add'),
  'webhook.set': acts('change where events of a subscription are posted, or which; it is enabled with it', webhookChanges, 'set'),
  'webhook.disable': acts('nothing more is posted, and events that wait are given up; its holder, too, may enable it again', webhookChanges, 'disable'),
  'webhook.enable': acts('events are posted again, from now on', webhookChanges, 'enable'),
  'webhook.remove': acts('forget a subscription, its authentication, and the events that it is still owed', webhookChanges, 'remove'),
  'webhook.list': looks('list the subscriptions: whose, where to, and how they fare', webhooks, 'list'),
  'webhook.show': looks('everything known of one subscription', webhooks, 'show'),
  'webhook.dead': looks('list the events that were given up, the latest first', webhooks, 'dead'),
  'webhook.replay': acts('send again what was given up: events by their ids, or all of a subscription', webhooks, 'replay'),
  'webhook.sign': acts('have the deliveries of a subscription signed; the new secret is shown once', webhooks, 'sign'),
  'transmission.list': looks('list what waits, what the access point has, and what failed, the latest first; 10000 at most', transmissions, 'list'),
  'transmission.show': looks('show one transmission, the statuses of its message, and what was answered to it', transmissions, 'show'),
  'transmission.retry': acts('have tried again what failed; its sender hears of it by further receipts', transmissions, 'retry'),
  'network.turned-away': looks('list documents that were turned away for what they break, the latest first; 10000 at most', network, 'turnedAway'),
  'network.show': looks('show a document that was turned away, with all that was found in it', network, 'show'),
  'network.document': acts('a document that was turned away, itself', network, 'document'),
  'network.check': looks('how strangers find the participants of accounts, those that differ first; 10000 at most. Exit status 1 when one differs', network, 'check'),
  'archive.list': looks('list the accounts that have an archive, or had one: how many days, from when to when, and the last one that was closed', () => import('./archive.ts'), 'archiveList'),
  'archive.verify': looks('name each file of the archive that was changed, removed or added since its day was closed', () => import('./archive.ts'), 'archiveVerify'),
} as const satisfies Readonly<Record<string, OnLedgers>>;

export const OPERATIONS = { ...ON_LEDGERS, ...CLOSED_OPERATIONS } as const;

export type OperationName = keyof typeof OPERATIONS;
type Loaded<Name extends OperationName> = Awaited<ReturnType<(typeof OPERATIONS)[Name]['load']>>;
export type InputOf<Name extends OperationName> = Static<Loaded<Name>['input']>;
export type AnswerOf<Name extends OperationName> = Static<Loaded<Name>['answer']>;

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

/** What the operation of this name answers, by this table; that a daemon has the same table is its caller's to see to. */
export function isAnswerOf<Name extends OperationName>(_name: Name, answer: unknown): answer is AnswerOf<Name> {
  return answer !== undefined;
}

/** Who runs it: see `RunBy`. */
export function runByOf(name: OperationName): RunBy {
  return isClosed(name) ? CLOSED_OPERATIONS[name].runBy : 'daemon';
}

function isDryRun(input: unknown): boolean {
  return isRecord(input) && input.dryRun === true;
}

/** What it does, for people. */
export function sentenceOf(name: OperationName): string {
  const { does } = OPERATIONS[name];
  return runByOf(name) === 'asker alone' ? `${does}, while no daemon runs` : does;
}
