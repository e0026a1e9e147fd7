// The accounts and logins that this gateway serves.

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
}

export interface Logins {
  /** The login with this name; undefined when there is none or it is disabled. */
  find(login: string): Login | undefined;
}
