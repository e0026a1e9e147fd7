// Remote files as local ones: sshfs.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** As .ci/run asks: whether the device opens, and CAP_SYS_ADMIN, the 21st of the rights. */
function mayMount(): boolean {
  try {
    closeSync(openSync('/dev/fuse', 'r+'));
    const [, rights = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return ((BigInt(`0x${rights}`) >> 21n) & 1n) === 1n;
  } catch {
    return false;
  }
}
