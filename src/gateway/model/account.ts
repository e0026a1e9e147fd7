// The accounts and logins that a gateway serves, as its parts know them; accounts/ reads them from the ledger.
import type { ReceiptForm } from '#domain/receipt-forms.ts';
import type { Item } from './item.ts';
import type { KeepRules } from './keeping.ts';
import type { LoginHome, Viewer } from './layout.ts';
import type { LoginRules } from './login-rules.ts';
import type { ReceivingRules } from './receiving.ts';

/** An SFTP user. */
export interface Login {
  readonly login: string;
  /** argon2id in PHC form, or null when no password is set. */
  readonly passwordHash: string | null;
  /** Public keys in the form of an authorized_keys line. */
  readonly publicKeys: readonly string[];
  readonly homes: readonly LoginHome[];
  readonly rules: LoginRules;
}

export interface Logins {
  /** The login with this name; undefined when there is none or it is disabled. */
  find(login: string): Login | undefined;
}

/** With what the gateway proves itself at the service for an account: its own API key, or its partner's, for which tokens are given. */
interface Access {
  readonly partnerRegNo: string | null;
  readonly key: string;
}

/** What is set about an account. */
export interface AccountRules {
  /** The form of its receipts; null: as the settings say. */
  readonly receipts: ReceiptForm | null;
  /** Our listener for hints is to be registered at the service. */
  readonly hints: boolean;
  readonly receiving: ReceivingRules;
  /** Who judges its documents before they are sent; null: as the settings say. */
  readonly validate: 'local' | 'core' | null;
  /** When it is told of a receiver that is certainly not registered; null: after tries of about 20 hours. */
  readonly unreachable: 'at-once' | null;
  /** `daily`: it gets a reconciliation file for each day. */
  readonly reconciliation: 'daily' | null;
  /** Whether repairs of its refused documents are suggested; null: they are not. */
  readonly repair: 'suggest' | null;
  /** For how long is kept what has ended. */
  readonly keep: KeepRules;
}

/** An account that is served here. */
export interface Account extends AccountRules {
  readonly accountRegNo: string;
  /** Whose folders it has: its own, or those of its partner's children together. */
  readonly home: string;
  readonly access: Access;
}

/**
 * What becomes of the files of an account: they are sent; they wait until it is enabled again, or has an API key that can be read; they are held, for its
 * partner may act for it no more.
 */
export type Standing = 'served' | 'disabled' | 'keyless' | 'unlinked';

export interface Accounts {
  readonly logins: Logins;
  all(): readonly Account[];
  /** The account; undefined when it is not served here. */
  find(accountRegNo: string): Account | undefined;
  /** The addresses of an account, in normal form, as far as they are known here. */
  addressesOf(accountRegNo: string): readonly string[];
  /** The logins that see a home, also those that are disabled now. */
  readersOf(home: string): readonly Viewer[];
  /** All homes on this gateway that are served. */
  homes(): readonly string[];
  /** The homes whose inboxes are looked into: beside those that are served, those of links that have ended, whose files are held. */
  inboxes(): readonly string[];
  /** The homes whose orders are answered by moving them: a login of each has the rule. */
  answering(): readonly string[];
  /** The logins that get a file of each day over all that they see. */
  reconciling(): readonly Login[];
  /** The form of the files that must follow the documents dropped into a home; null where there need be none. */
  doneFile(home: string): string | null;
  standing(accountRegNo: string): Standing;
  /** On whose behalf an item is sent, or what is wrong with its sender: before it refuses one, it reads the ledger again. */
  ownerOf: OwnerOf;
  /** Reads the ledger again at once; listeners to changes have ended when it resolves. */
  refresh(): Promise<void>;
}

/** An accountRegNo, or a sender that does not fit. */
type OwnerOf = (item: Pick<Item, 'home' | 'accountRegNo'>, sender: string) => Promise<string | Stranger>;

/** A sender that does not fit, or that is unknown here. */
export interface Stranger {
  readonly sender: string;
  /** Whose address it is; null when unknown here, or of an account that the readers of the receipt do not see. */
  readonly belongsTo: SeenAccount | null;
  /** Where it was dropped. */
  readonly dropped: SeenAccount;
  /** The addresses of the account that it was dropped for; none where several accounts share the home. */
  readonly addresses: readonly string[];
}

/** An account as the people at the other end know it: by the folder in which they see its home. */
export interface SeenAccount {
  readonly accountRegNo: string;
  /** '' where its folders stand at the top, where no login sees it, or where not all readers see it in one folder. */
  readonly folder: string;
}
