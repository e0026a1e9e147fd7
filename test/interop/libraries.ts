// Libraries that ERP programs are written with, each behind a small program of ours: paramiko, asyncssh and JSch.
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ran, run } from '../support/sftp-clients.ts';
import { PASSWORD } from '../support/sftp-server.ts';
import type { Client, Door, VerbName, Verbs } from './client.ts';

/** Debian's own Python, which is the one that has Debian's packages. */
const PYTHON = '/usr/bin/python3';
const JSCH = '/usr/share/java/jsch.jar';

/** Of libraries that have no call for it. */
export const NO_SCP = { scp: 'speaks SFTP only' };

/** Every verb by one program that takes them all: where, who, the verb, what it needs. */
export function byProgram(start: (args: readonly string[]) => Promise<Ran>): Verbs {
  const verb =
    (name: VerbName) =>
    ({ port, knownHosts, login }: Door, ...paths: string[]): Promise<Ran> =>
      start([String(port), knownHosts, login, PASSWORD, name, ...paths]);
  return {
    put: verb('put'),
    putBeside: verb('putBeside'),
    putKeeping: verb('putKeeping'),
    resume: verb('resume'),
    putRekeying: verb('putRekeying'),
    list: verb('list'),
    get: verb('get'),
    remove: verb('remove'),
    rename: verb('rename'),
    makeFolder: verb('makeFolder'),
    scp: verb('scp'),
  };
}

function pythonLibrary(library: string, habits: Pick<Client, 'ignoresClose'> = {}): Client {
  const program = join(import.meta.dirname, `${library}_client.py`);
  return {
    name: library,
    async version() {
      const { out } = await run(PYTHON, ['-W', 'ignore', '-c', `import ${library}; print(${library}.__version__)`]).catch(() => ({
        out: '',
      }));
      return out.trim() || undefined;
    },
    showsSentences: true,
    ...habits,
    without: NO_SCP,
    verbs: byProgram((args) => run(PYTHON, ['-W', 'ignore', program, ...args])),
  };
}

/** It looks for the file afterwards. */
export const paramiko = pythonLibrary('paramiko', { ignoresClose: true });
export const asyncssh = pythonLibrary('asyncssh');

const classes = mkdtempSync(join(tmpdir(), 'dropgate-jsch-'));
const classPath = `${JSCH}:${classes}`;

export const jsch: Client = {
  name: 'JSch',
  async version() {
    if (!existsSync(JSCH)) return undefined;
    const compiled = await run('javac', ['-cp', JSCH, '-d', classes, join(import.meta.dirname, 'JschClient.java')]).catch(() => null);
    if (compiled?.status !== 0) return undefined;
    const { out } = await run('dpkg-query', ['--show', 'libjsch-java']).catch(() => ({ out: '' }));
    return /\t([\d.]+)/.exec(out)?.[1] ?? 'unknown';
  },
  showsSentences: true,
  without: NO_SCP,
  verbs: byProgram((args) => run('java', ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', classPath, 'JschClient', ...args])),
};
