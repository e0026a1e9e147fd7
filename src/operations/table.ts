// Every operation by its name, which is that of its command: what it does, whether it only looks, and where it is. An operation is loaded when
// it runs, so that a command which asks a running daemon loads none.
import type { Static } from 'typebox';
import { CLOSED_OPERATIONS, isClosed, type Kind, type RunBy } from './closed-table.ts';

/** Of an operation that gets open ledgers. */
interface Entry {
  readonly does: string;
  /** What hands out or acts is written down in the audit trail. */
  readonly kind: Kind;
  readonly load: () => Promise<unknown>;
}

const LEDGER_OPERATIONS = {
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
  apply: {
    does: 'make the accounts, partners and logins that a file declares; API keys that are made are shown once',
    kind: 'acts',
    load: async () => (await import('./apply.ts')).apply,
  },
  export: {
    does: 'print accounts, partners and logins in the form that apply reads; API keys are not in it',
    kind: 'looks',
    load: async () => (await import('./export.ts')).exportAll,
  },
  'account.export': {
    does: 'write everything that there is of an account into a new folder: its rows as JSON, its documents, home and archive as they are',
    kind: 'looks',
    load: async () => (await import('./account-data.ts')).accountExport,
  },
  'account.erase': {
    does: 'erase everything that there is of a disabled account; digests stay, by which what it has sent is known',
    kind: 'acts',
    load: async () => (await import('./account-data.ts')).accountErase,
  },
  'account.add': {
    does: 'add an account; its API key is shown once',
    kind: 'acts',
    load: async () => (await import('./account-keys.ts')).add,
  },
  'account.set': {
    does: 'change what an account may do',
    kind: 'acts',
    load: async () => (await import('./account-changes.ts')).set,
  },
  'account.receiving': {
    does: 'change how documents are received for an account, and print its rules',
    kind: 'acts',
    load: async () => (await import('./account-changes.ts')).receiving,
  },
  'account.add-participant': {
    does: 'give an account one more Peppol address',
    kind: 'acts',
    load: async () => (await import('./account-changes.ts')).addParticipant,
  },
  'account.remove-participant': {
    does: 'take a Peppol address away from an account',
    kind: 'acts',
    load: async () => (await import('./account-changes.ts')).removeParticipant,
  },
  'account.rotate-key': {
    does: 'make a new API key, shown once; the gateway takes its own new one by itself',
    kind: 'acts',
    load: async () => (await import('./account-keys.ts')).rotateKey,
  },
  'account.take-back': {
    does: 'take an account, or a number that was reserved, back from the partners that act for it: links, keys, tokens and webhooks end at once',
    kind: 'acts',
    load: async () => (await import('./account-keys.ts')).takeBack,
  },
  'account.list': {
    does: 'list the accounts',
    kind: 'looks',
    load: async () => (await import('./accounts.ts')).list,
  },
  'account.show': {
    does: 'everything that is set about one account',
    kind: 'looks',
    load: async () => (await import('./accounts.ts')).show,
  },
  'account.disable': {
    does: 'its logins no longer see it, and its API keys are refused; nothing is deleted',
    kind: 'acts',
    load: async () => (await import('./accounts.ts')).disable,
  },
  'account.enable': {
    does: 'it is served again, and its API keys are taken',
    kind: 'acts',
    load: async () => (await import('./accounts.ts')).enable,
  },
  'account.remove': {
    does: 'forget an account; the files of its home stay on disk',
    kind: 'acts',
    load: async () => (await import('./accounts.ts')).remove,
  },
  'partner.add': {
    does: 'add a partner; its API key is shown once',
    kind: 'acts',
    load: async () => (await import('./partner-changes.ts')).add,
  },
  'partner.set': {
    does: "change a partner's name, its limits, or the login that sees its children",
    kind: 'acts',
    load: async () => (await import('./partner-changes.ts')).set,
  },
  'partner.link': {
    does: "let a partner act for an account, and its login see the account's home",
    kind: 'acts',
    load: async () => (await import('./partner-changes.ts')).link,
  },
  'partner.unlink': {
    does: 'a partner may act for an account no more; its tokens for it end at once',
    kind: 'acts',
    load: async () => (await import('./partner-changes.ts')).unlink,
  },
  'partner.rotate-key': {
    does: 'make a new API key, shown once; the gateway takes its own new one by itself',
    kind: 'acts',
    load: async () => (await import('./partner-changes.ts')).rotateKey,
  },
  'partner.list': {
    does: 'list the partners, and the accounts that each may act for',
    kind: 'looks',
    load: async () => (await import('./partners.ts')).list,
  },
  'partner.show': {
    does: 'everything that is set about one partner, and its children',
    kind: 'looks',
    load: async () => (await import('./partners.ts')).show,
  },
  'partner.children': {
    does: 'list the accounts that a partner acts for on this gateway: folder, state, addresses',
    kind: 'looks',
    load: async () => (await import('./partners.ts')).children,
  },
  'partner.disable': {
    does: 'it may do nothing and hears nothing, at once; nothing is deleted',
    kind: 'acts',
    load: async () => (await import('./partners.ts')).disable,
  },
  'partner.enable': {
    does: 'it may act for its accounts again',
    kind: 'acts',
    load: async () => (await import('./partners.ts')).enable,
  },
  'partner.remove': {
    does: 'unlink all its accounts and forget it; accounts, logins and files stay',
    kind: 'acts',
    load: async () => (await import('./partners.ts')).remove,
  },
  'login.add': {
    does: 'add a login; an account of the core that has no home here gets one',
    kind: 'acts',
    load: async () => (await import('./login-changes.ts')).add,
  },
  'login.set-password': {
    does: 'set a new password: one made up here and shown once, or the one on standard input',
    kind: 'acts',
    load: async () => (await import('./login-changes.ts')).setPassword,
  },
  'login.add-key': {
    does: 'let a login in by the public keys of a file',
    kind: 'acts',
    load: async () => (await import('./login-changes.ts')).addKey,
  },
  'login.remove-key': {
    does: 'let a login in no more by the public keys of a file',
    kind: 'acts',
    load: async () => (await import('./login-changes.ts')).removeKey,
  },
  'login.add-home': {
    does: 'let a login see one more account, in a folder of its own',
    kind: 'acts',
    load: async () => (await import('./login-changes.ts')).addHome,
  },
  'login.remove-home': {
    does: 'let a login see an account no more; files stay',
    kind: 'acts',
    load: async () => (await import('./login-changes.ts')).removeHome,
  },
  'login.rename-folder': {
    does: 'give a folder of a login another name (. is the top): tell those whose scripts have the old',
    kind: 'acts',
    load: async () => (await import('./login-changes.ts')).renameFolder,
  },
  'login.list': {
    does: 'list the logins',
    kind: 'looks',
    load: async () => (await import('./logins.ts')).list,
  },
  'login.show': {
    does: 'everything that is set about one login',
    kind: 'looks',
    load: async () => (await import('./logins.ts')).show,
  },
  'login.set': {
    does: 'change the rules that a login is held to; a running daemon, and its sessions, follow within two seconds',
    kind: 'acts',
    load: async () => (await import('./logins.ts')).set,
  },
  'login.disable': {
    does: 'nobody gets in by it, and its sessions end; it keeps what it has',
    kind: 'acts',
    load: async () => (await import('./logins.ts')).disable,
  },
  'login.enable': {
    does: 'let it in again',
    kind: 'acts',
    load: async () => (await import('./logins.ts')).enable,
  },
  'login.remove': {
    does: 'remove a login; homes and files stay',
    kind: 'acts',
    load: async () => (await import('./logins.ts')).remove,
  },
  'operator.add': {
    does: 'let somebody log in to the page of the admin listener; a password that is made up is shown once',
    kind: 'acts',
    load: async () => (await import('./operators.ts')).add,
  },
  'operator.list': {
    does: 'list who may log in to the page',
    kind: 'looks',
    load: async () => (await import('./operators.ts')).list,
  },
  'operator.set': {
    does: 'change what an operator may do, and whether a code is asked beside the password',
    kind: 'acts',
    load: async () => (await import('./operators.ts')).set,
  },
  'operator.set-password': {
    does: 'set a new password: one made up here and shown once, or the one on standard input; all sessions of the operator end',
    kind: 'acts',
    load: async () => (await import('./operators.ts')).setPassword,
  },
  'operator.disable': {
    does: 'the operator gets in no more, and all sessions end at once',
    kind: 'acts',
    load: async () => (await import('./operators.ts')).disable,
  },
  'operator.enable': {
    does: 'let the operator in again',
    kind: 'acts',
    load: async () => (await import('./operators.ts')).enable,
  },
  'operator.remove': {
    does: 'forget an operator; all sessions end at once, and what was done stays in the audit trail',
    kind: 'acts',
    load: async () => (await import('./operators.ts')).remove,
  },
  'connection-kit': {
    does: 'write a folder for the people at the other end of a login: host keys, scripts, the contract of the folders; no secret is in it',
    kind: 'hands-out',
    load: async () => (await import('./connection-kit.ts')).connectionKit,
  },
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
} as const satisfies Readonly<Record<string, Entry>>;

export const OPERATIONS = { ...LEDGER_OPERATIONS, ...CLOSED_OPERATIONS } as const;

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

/** What it does, for people. */
export function sentenceOf(name: OperationName): string {
  const { does } = OPERATIONS[name];
  return runByOf(name) === 'asker alone' ? `${does}, while no daemon runs` : does;
}
