// Clients that may not look at the answer to CLOSE (docs/sftp-clients.md): a refusal reaches their users by a receipt as well.

/** What they call themselves. */
const IGNORE_CLOSE: readonly string[] = [
  'libssh2_', // curl, PHP's ssh2, Perl's Net::SSH2
  'paramiko_', // SFTPFile.close(), and the end of `with sftp.open(…)`
  'Erlang/', // ssh_sftp:write_file
];

/** So does everything that speaks through OpenSSH's ssh: sshfs, which does not look, and others, which do. */
const CARRIER = 'OpenSSH_';

/** Whether the program at the other end of an SFTP channel is one of them. */
export class CloseAnswers {
  readonly #software: string;
  #hasAskedForLimits = false;

  constructor(software: string) {
    this.#software = software;
  }

  get mayBeIgnored(): boolean {
    if (this.#software.startsWith(CARRIER)) return !this.#hasAskedForLimits;
    return IGNORE_CLOSE.some((name) => this.#software.startsWith(name));
  }

  /** Of those that speak through OpenSSH's ssh only its own sftp and scp ask, since 8.5, before all else; they look. */
  limitsAskedFor(): void {
    this.#hasAskedForLimits = true;
  }
}
