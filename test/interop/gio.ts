// The desktop's way to remote files: gio of GNOME, whose gvfs speaks SFTP through ssh.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../support/sftp-clients.ts';
import type { Client } from './client.ts';
import { byProgram, NO_SCP } from './libraries.ts';

const GIO = join(import.meta.dirname, 'gio_client.sh');
/** Where the verb stands in what the program is given; the local path of `get` comes last, that of the others first. */
const VERB_AT = 4;
const LOCAL_FIRST = ['put', 'putBeside', 'putKeeping'];

export const gio: Client = {
  name: 'gio (gvfs)',
  async version() {
    const { status, out } = await run('dpkg-query', ['--show', 'gvfs-backends']).catch(() => ({ status: 1, out: '' }));
    return status === 0 ? (/\t([\d.]+)/.exec(out)?.[1] ?? 'unknown') : undefined;
  },
  showsSentences: false,
  tells: /^gio: /,
  without: { ...NO_SCP, resume: 'begins again', putRekeying: 'does not tell whether it exchanged keys' },
  verbs: byProgram(async (args) => {
    // Sessions that share this folder share one connection, too, which ends with the first of them.
    const runtime = mkdtempSync(join(tmpdir(), 'dropgate-gio-'));
    const env = { XDG_RUNTIME_DIR: runtime, GVFS_DISABLE_FUSE: '1' };
    return run('dbus-run-session', ['--', 'sh', GIO, ...encoded(args)], '', env).finally(() => rmSync(runtime, { recursive: true }));
  }),
};

/** Remote paths are parts of an address here. */
function encoded(args: readonly string[]): string[] {
  const verb = args[VERB_AT] ?? '';
  const isLocal = (at: number): boolean => at === (LOCAL_FIRST.includes(verb) ? VERB_AT + 1 : verb === 'get' ? VERB_AT + 2 : -1);
  return args.map((arg, at) => (at > VERB_AT && !isLocal(at) ? encodeURI(arg) : arg));
}
