// Programs with a command line of their own: PuTTY's psftp, lftp, curl and rclone.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ran, run } from '../support/sftp-clients.ts';
import { PASSWORD } from '../support/sftp-server.ts';
import type { Client, Door } from './client.ts';

async function versionOf(program: string, args: readonly string[], pattern: RegExp): Promise<string | undefined> {
  const { out, err } = await run(program, args).catch(() => ({ out: '', err: '' }));
  return pattern.exec(out + err)?.[1];
}

async function psftp(
  door: Door,
  commands: readonly string[],
  options: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Ran> {
  const batch = join(mkdtempSync(join(tmpdir(), 'dropgate-psftp-')), 'batch');
  writeFileSync(batch, `${commands.join('\n')}\nquit\n`);
  const args = [...options, '-batch', '-P', String(door.port), '-pw', PASSWORD, '-hostkey', door.fingerprint, '-b', batch];
  return run('psftp', [...args, `${door.login}@127.0.0.1`], '', env);
}

/** A home in which PuTTY finds a session that exchanges keys after each megabyte. */
function rekeyingHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'dropgate-putty-'));
  mkdirSync(join(home, '.putty', 'sessions'), { recursive: true });
  writeFileSync(join(home, '.putty', 'sessions', 'rekeying'), 'RekeyBytes=1M\n');
  return home;
}

export const puttySftp: Client = {
  name: 'PuTTY psftp',
  version: () => versionOf('psftp', ['-V'], /Release (\S+)/),
  showsSentences: true,
  without: {},
  verbs: {
    put: (door, local, remote) => psftp(door, [`put "${local}" "${remote}"`]),
    putBeside: (door, local, temporary, remote) => psftp(door, [`put "${local}" "${temporary}"`, `mv "${temporary}" "${remote}"`]),
    putKeeping: (door, local, remote) => psftp(door, [`put "${local}" "${remote}"`, `chmod 640 "${remote}"`]),
    resume: (door, local, remote) => psftp(door, [`reput "${local}" "${remote}"`]),
    async putRekeying(door, local, remote) {
      const ran = await psftp(door, [`put "${local}" "${remote}"`], ['-v', '-load', 'rekeying'], { HOME: rekeyingHome() });
      return (ran.out + ran.err).includes('Initiating key re-exchange') ? ran : { ...ran, status: 1, err: `no rekey: ${ran.err}` };
    },
    list: (door, folder) => psftp(door, [`ls "${folder}"`]),
    get: (door, remote, local) => psftp(door, [`get "${remote}" "${local}"`]),
    remove: (door, remote) => psftp(door, [`rm "${remote}"`]),
    rename: (door, from, to) => psftp(door, [`mv "${from}" "${to}"`]),
    makeFolder: (door, path) => psftp(door, [`mkdir "${path}"`]),
  },
};

function lftp({ port, knownHosts, login }: Door, commands: string, options = ''): Promise<Ran> {
  const ssh = `ssh -a -x ${options} -o UserKnownHostsFile=${knownHosts} -o StrictHostKeyChecking=yes -o PubkeyAuthentication=no`;
  const settings = `set sftp:connect-program "${ssh}"; set net:max-retries 1; set net:reconnect-interval-base 1; set net:timeout 10; set cmd:fail-exit yes;`;
  return run('lftp', ['-c', `${settings} open -u "${login},${PASSWORD}" sftp://127.0.0.1:${port}; ${commands}`]);
}

export const lftpClient: Client = {
  name: 'lftp',
  version: () => versionOf('lftp', ['--version'], /Version (\S+)/),
  showsSentences: true,
  without: {},
  verbs: {
    put: (door, local, remote) => lftp(door, `put "${local}" -o "${remote}"`),
    putBeside: (door, local, temporary, remote) => lftp(door, `put "${local}" -o "${temporary}"; mv "${temporary}" "${remote}"`),
    putKeeping: (door, local, remote) => lftp(door, `put "${local}" -o "${remote}"; chmod 640 "${remote}"`),
    resume: (door, local, remote) => lftp(door, `put -c "${local}" -o "${remote}"`),
    putRekeying: (door, local, remote) => lftp(door, `put "${local}" -o "${remote}"`, '-o RekeyLimit=1M'),
    list: (door, folder) => lftp(door, `cls -1 "${folder}"`),
    get: (door, remote, local) => lftp(door, `get "${remote}" -o "${local}"`),
    remove: (door, remote) => lftp(door, `rm "${remote}"`),
    rename: (door, from, to) => lftp(door, `mv "${from}" "${to}"`),
    makeFolder: (door, path) => lftp(door, `mkdir "${path}"`),
  },
};

function curl(door: Door, path: string, ...args: string[]): Promise<Ran> {
  return curlBy('sftp', door, path, ...args);
}

function curlBy(scheme: 'sftp' | 'scp', { port, login }: Door, path: string, ...args: string[]): Promise<Ran> {
  const url = `${scheme}://127.0.0.1:${port}${path.split('/').map(encodeURIComponent).join('/')}`;
  return run('curl', ['-sS', '--insecure', '-u', `${login}:${PASSWORD}`, ...args, url]);
}

/** What curl sends before or, behind a hyphen, after the transfer. */
const quote = (...commands: string[]): string[] => commands.flatMap((command) => ['-Q', command]);

export const curlClient: Client = {
  name: 'curl (libssh2)',
  version: () => versionOf('curl', ['-V'], /^curl (\S+)(?=[\s\S]*\bsftp\b)/),
  showsSentences: false,
  ignoresClose: true,
  without: { putRekeying: 'libssh2 begins no exchange of its own' },
  verbs: {
    put: (door, local, remote) => curl(door, remote, '-T', local),
    putBeside: (door, local, temporary, remote) => curl(door, temporary, '-T', local, ...quote(`-rename "${temporary}" "${remote}"`)),
    putKeeping: (door, local, remote) =>
      curl(door, remote, '-T', local, ...quote(`-chmod 640 "${remote}"`, `-mtime "02 Mar 2026 12:00:00 GMT" "${remote}"`)),
    resume: (door, local, remote) => curl(door, remote, '-C', '-', '-T', local),
    list: (door, folder) => curl(door, `${folder}/`, '-l'),
    get: (door, remote, local) => curl(door, remote, '-o', local),
    remove: (door, remote) => curl(door, '/', '-l', ...quote(`rm "${remote}"`)),
    rename: (door, from, to) => curl(door, '/', '-l', ...quote(`rename "${from}" "${to}"`)),
    makeFolder: (door, path) => curl(door, '/', '-l', ...quote(`mkdir "${path}"`)),
  },
};

const OLD_PROTOCOL = "scp's old protocol only, which is refused";

/** For those who write `scp://`. */
export const curlScp: Client = {
  name: 'curl scp:// (libssh2)',
  version: () => versionOf('curl', ['-V'], /^curl (\S+)(?=[\s\S]*\bscp\b)/),
  showsSentences: false,
  without: {
    put: OLD_PROTOCOL,
    putBeside: OLD_PROTOCOL,
    putKeeping: OLD_PROTOCOL,
    resume: OLD_PROTOCOL,
    putRekeying: OLD_PROTOCOL,
    list: OLD_PROTOCOL,
    get: OLD_PROTOCOL,
    remove: OLD_PROTOCOL,
    rename: OLD_PROTOCOL,
    makeFolder: OLD_PROTOCOL,
  },
  verbs: { scp: (door, local, remote) => curlBy('scp', door, remote, '-T', local) },
};

/** Any command of rclone's; what begins with `remote:` is a path on the server. */
export async function rclone({ port, knownHosts, login }: Door, ...args: string[]): Promise<Ran> {
  const obscured = (await run('rclone', ['obscure', PASSWORD])).out.trim();
  const remote = `:sftp,host=127.0.0.1,port=${port},user=${login},pass=${obscured},known_hosts_file='${knownHosts}':`;
  const named = args.map((arg) => arg.replace(/^remote:/, remote));
  return run('rclone', ['--config', '/dev/null', '--retries', '1', '--low-level-retries', '1', ...named]);
}

export const rcloneClient: Client = {
  name: 'rclone',
  version: () => versionOf('rclone', ['version'], /rclone v(\S+)/),
  showsSentences: 'of failures',
  without: { resume: 'rclone begins again', putRekeying: 'rekeys after 1 GB, which cannot be set' },
  verbs: {
    put: (door, local, remote) => rclone(door, 'copyto', local, `remote:${remote}`),
    async putBeside(door, local, temporary, remote) {
      const ran = await rclone(door, 'copyto', local, `remote:${temporary}`);
      return ran.status === 0 ? rclone(door, 'moveto', `remote:${temporary}`, `remote:${remote}`) : ran;
    },
    async putKeeping(door, local, remote) {
      const ran = await rclone(door, 'copyto', local, `remote:${remote}`);
      return ran.status === 0 ? rclone(door, 'touch', '--timestamp', '2026-03-02T12:00:00', `remote:${remote}`) : ran;
    },
    list: (door, folder) => rclone(door, 'lsf', `remote:${folder}`),
    get: (door, remote, local) => rclone(door, 'copyto', `remote:${remote}`, local),
    remove: (door, remote) => rclone(door, 'deletefile', `remote:${remote}`),
    rename: (door, from, to) => rclone(door, 'moveto', `remote:${from}`, `remote:${to}`),
    makeFolder: (door, path) => rclone(door, 'mkdir', `remote:${path}`),
  },
};
