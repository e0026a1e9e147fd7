// Remote files as local ones: sshfs.
import { join } from 'node:path';
import { mayMount } from '../support/fuse.ts';
import { run } from '../support/sftp-clients.ts';
import type { Client } from './client.ts';
import { byProgram, NO_SCP } from './libraries.ts';

const SSHFS = join(import.meta.dirname, 'sshfs_client.sh');

export const sshfs: Client = {
  name: 'sshfs',
  async version() {
    const { out } = await run('sshfs', ['--version']).catch(() => ({ out: '' }));
    return /SSHFS version (\S+)/.exec(out)?.[1];
  },
  machine: { what: 'FUSE', has: mayMount, how: 'give it /dev/fuse and the right to mount; that a home works as a drive is not proved' },
  showsSentences: false,
  ignoresClose: true,
  without: { ...NO_SCP, putRekeying: 'does not tell whether it exchanged keys' },
  verbs: byProgram((args) => run('sh', [SSHFS, ...args])),
};
