// Libraries of other languages, each behind a small program of ours: PHP's ssh2 and phpseclib, Perl's two, Ruby's, Erlang's and Go's.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ran, run } from '../support/sftp-clients.ts';
import type { Client } from './client.ts';
import { byProgram, NO_SCP } from './libraries.ts';

const NO_EXCHANGE = 'begins no exchange of its own';
const UNTOLD = 'does not tell whether it exchanged keys';

/** `program` runs the file of ours of that name. */
function library(client: Omit<Client, 'verbs' | 'version'>, program: string, file: string, version: readonly string[]): Client {
  const path = join(import.meta.dirname, file);
  return {
    ...client,
    async version() {
      const { status, out } = await run(program, version).catch(() => ({ status: 1, out: '' }));
      return status === 0 ? out.trim() || undefined : undefined;
    },
    verbs: byProgram((args) => run(program, [path, ...args])),
  };
}

export const phpSsh2 = library(
  {
    name: 'PHP ssh2 (libssh2)',
    showsSentences: false,
    ignoresClose: true,
    without: { putRekeying: NO_EXCHANGE },
  },
  'php',
  'php_ssh2_client.php',
  ['-r', "echo phpversion('ssh2');"],
);

export const phpseclib = library(
  {
    name: 'phpseclib',
    showsSentences: true,
    without: { ...NO_SCP, putRekeying: NO_EXCHANGE },
  },
  'php',
  'phpseclib_client.php',
  ['-r', "(@include '/usr/share/php/phpseclib3/autoload.php') && class_exists('phpseclib3\\Net\\SFTP') && print('3');"],
);

export const netSsh2 = library(
  {
    name: 'Perl Net::SSH2 (libssh2)',
    showsSentences: false,
    ignoresClose: true,
    without: { putRekeying: NO_EXCHANGE },
  },
  'perl',
  'net_ssh2_client.pl',
  ['-MNet::SSH2', '-e', 'print $Net::SSH2::VERSION'],
);

export const netSftpForeign = library(
  { name: 'Perl Net::SFTP::Foreign', showsSentences: true, without: { ...NO_SCP, putRekeying: UNTOLD } },
  'perl',
  'net_sftp_foreign_client.pl',
  ['-MIO::Pty', '-MNet::SFTP::Foreign', '-e', 'print $Net::SFTP::Foreign::VERSION'],
);

export const netSftp = library(
  { name: 'Ruby net-sftp', showsSentences: false, without: { ...NO_SCP, putRekeying: UNTOLD } },
  'ruby',
  'net_sftp_client.rb',
  ['-e', 'gem "net-sftp"; print Gem.loaded_specs["net-sftp"].version'],
);

export const sshSftp = library(
  { name: 'Erlang ssh_sftp', showsSentences: false, ignoresClose: true, without: { ...NO_SCP, putRekeying: UNTOLD } },
  'escript',
  'ssh_sftp_client.escript',
  [join(import.meta.dirname, 'ssh_sftp_client.escript'), 'version'],
);

const built = join(mkdtempSync(join(tmpdir(), 'dropgate-go-')), 'client');

/** Built by Debian's Go, from Debian's sources. */
export const pkgSftp: Client = {
  name: 'Go pkg/sftp',
  async version() {
    const env = { GO111MODULE: 'off', GOFLAGS: '', GOPATH: '/usr/share/gocode' };
    const source = join(import.meta.dirname, 'pkg_sftp_client.go');
    const { status } = await run('/usr/bin/go', ['build', '-o', built, source], '', env).catch((): Partial<Ran> => ({}));
    if (status !== 0) return undefined;
    const { out } = await run('dpkg-query', ['--show', 'golang-github-pkg-sftp-dev']).catch(() => ({ out: '' }));
    return /\t([\d.]+)/.exec(out)?.[1] ?? 'unknown';
  },
  showsSentences: 'of failures',
  without: { ...NO_SCP, putRekeying: UNTOLD },
  verbs: byProgram((args) => run(built, args)),
};
