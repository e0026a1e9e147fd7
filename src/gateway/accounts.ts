// The accounts and logins that this gateway serves: read from the ledger, read again when their revision moves.
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Seal } from '#runtime/seal.ts';
import { type AccountRow, readAccounts, readLogins, readRevision } from './ledger/accounts.ts';
import type { Ledger } from './ledger/schema.ts';
import type { LoginRules } from './login-rules.ts';

/** How soon a change made by another process is noticed. */
const LOOK_EVERY_MS = 1_000;

/** One tree of folders that a login sees. */
export interface LoginHome {
  readonly accountRegNo: string;
  /** Folder of the tree at the top; '' when the login has one account and sees its folders at the top. */
  readonly folder: string;
}

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

/** An account with a home here. */
export interface Account {
  readonly accountRegNo: string;
  /** The API key with which the gateway speaks to the service for it. */
  readonly serviceKey: string;
  readonly receipts: 'json' | 'text' | null;
  /** Our listener for hints is to be registered at the service. */
  readonly hints: boolean;
}

export interface Accounts extends Disposable {
  readonly logins: Logins;
  all(): readonly Account[];
  /** The account; undefined when it has no home here or is disabled. */
  find(accountRegNo: string): Account | undefined;
  /** Reads the ledger again at once; `changed` has been called when it resolves. */
  refresh(): Promise<void>;
}

/** Reads accounts and logins and keeps them current; `changed` is called after each change, but not for the first reading. */
export async function openAccounts(ledger: Ledger, seal: Seal, clock: Clock, log: Log, changed: () => void): Promise<Accounts> {
  let revision = -1;
  let accounts = new Map<string, Account>();
  let logins = new Map<string, Login>();

  async function read(): Promise<boolean> {
    const now = await readRevision(ledger.read);
    if (now === revision) return false;
    const [accountRows, loginRows] = await Promise.all([readAccounts(ledger.read), readLogins(ledger.read)]);
    revision = now;
    const active = accountRows.filter((row) => !row.disabled);
    accounts = new Map(active.flatMap((row) => opened(row)).map((account) => [account.accountRegNo, account]));
    logins = new Map(loginRows.filter((row) => !row.disabled).map((row) => [row.login, withHomes(row, accounts)]));
    return true;
  }
  /** Nothing for an account whose key cannot be read: the others are served all the same. */
  function opened(row: AccountRow): Account[] {
    try {
      return [{ ...row, serviceKey: seal.open(row.serviceKey) }];
    } catch (error) {
      log.error({ event: 'accounts.sealed', accountRegNo: row.accountRegNo, err: error });
      return [];
    }
  }

  async function refresh(): Promise<void> {
    if (!(await read())) return;
    changed();
    log.info({ event: 'accounts.changed', accounts: accounts.size, logins: logins.size });
  }

  await read();
  const timer = every(clock, LOOK_EVERY_MS, refresh, (error) => log.error({ event: 'accounts.unread', err: error }));
  return {
    logins: { find: (login) => logins.get(login) },
    all: () => [...accounts.values()],
    find: (accountRegNo) => accounts.get(accountRegNo),
    refresh,
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}

/** A login keeps only the homes whose account is active. */
function withHomes(login: Login, accounts: ReadonlyMap<string, Account>): Login {
  return { ...login, homes: login.homes.filter((home) => accounts.has(home.accountRegNo)) };
}
