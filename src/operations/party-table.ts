// Operations on accounts, partners, logins and operators: a part of all operations (table.ts).
import { isRecord } from '#runtime/config/kinds.ts';
import type { OnLedgers } from './entry.ts';

export const PARTY_OPERATIONS = {
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
    onlyAsks: (input) => isRecord(input) && isRecord(input.rules) && Object.keys(input.rules).length === 0,
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
} as const satisfies Readonly<Record<string, OnLedgers>>;
