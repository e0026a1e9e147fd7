// OpenSSH's sftp and scp.
import { openSsh, type Ran, run, scp } from '../support/sftp-clients.ts';
import type { Client } from './client.ts';

const REKEYING = ['-v', '-o', 'RekeyLimit=1M'];

const version = async (): Promise<string | undefined> => {
  const { err } = await run('ssh', ['-V']).catch(() => ({ err: '' }));
  return /OpenSSH_(\S+)/.exec(err)?.[1];
};

const sftp = (door: Parameters<typeof openSsh>[0], ...commands: string[]): Promise<Ran> => openSsh(door, commands, ['-q', '-b', '-']);

export const openSshSftp: Client = {
  name: 'OpenSSH sftp',
  version,
  showsSentences: true,
  without: {},
  verbs: {
    put: (door, local, remote) => sftp(door, `put "${local}" "${remote}"`),
    putBeside: (door, local, temporary, remote) => sftp(door, `put "${local}" "${temporary}"`, `rename "${temporary}" "${remote}"`),
    putKeeping: (door, local, remote) => sftp(door, `put -p "${local}" "${remote}"`, `chmod 640 "${remote}"`),
    resume: (door, local, remote) => sftp(door, `reput "${local}" "${remote}"`),
    putRekeying: async (door, local, remote) => rekeyed(await openSsh(door, [`put "${local}" "${remote}"`], [...REKEYING, '-b', '-'])),
    list: (door, folder) => sftp(door, `ls -1 "${folder}"`),
    get: (door, remote, local) => sftp(door, `get "${remote}" "${local}"`),
    remove: (door, remote) => sftp(door, `rm "${remote}"`),
    rename: (door, from, to) => sftp(door, `rename "${from}" "${to}"`),
    makeFolder: (door, path) => sftp(door, `mkdir "${path}"`),
  },
};

const UPLOADS_ONLY = 'scp only copies';

export const openSshScp: Client = {
  name: 'OpenSSH scp',
  version,
  showsSentences: true,
  without: {
    putBeside: UPLOADS_ONLY,
    resume: 'scp cannot resume',
    list: UPLOADS_ONLY,
    remove: UPLOADS_ONLY,
    rename: UPLOADS_ONLY,
    makeFolder: UPLOADS_ONLY,
  },
  verbs: {
    put: (door, local, remote) => scp(door, ['-q', local, `remote:${remote}`]),
    putKeeping: (door, local, remote) => scp(door, ['-q', '-p', local, `remote:${remote}`]),
    putRekeying: async (door, local, remote) => rekeyed(await scp(door, [...REKEYING, local, `remote:${remote}`])),
    get: (door, remote, local) => scp(door, ['-q', `remote:${remote}`, local]),
    scp: (door, local, remote) => scp(door, ['-q', '-O', local, `remote:${remote}`]),
  },
};

/** The first exchange is the one before the login. */
function rekeyed(ran: Ran): Ran {
  const exchanges = ran.err.match(/SSH2_MSG_NEWKEYS received/g)?.length ?? 0;
  return exchanges > 1 ? ran : { ...ran, status: 1, err: `${exchanges} key exchanges: ${ran.err}` };
}
