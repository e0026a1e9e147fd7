// Clients that do not look at the answer to CLOSE, by what they call themselves (docs/sftp-clients.md): a refusal reaches their users by a receipt only.

const IGNORE_CLOSE: readonly string[] = [
  'libssh2_', // curl, PHP's ssh2, Perl's Net::SSH2
  'paramiko_', // SFTPFile.close(), and the end of `with sftp.open(…)`
];

export function ignoresClose(software: string): boolean {
  return IGNORE_CLOSE.some((name) => software.startsWith(name));
}
