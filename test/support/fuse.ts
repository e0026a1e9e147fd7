// Folders that several nodes mount, each through a file system of its own in user space: what one does the others see late, as over NFS.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { needed, neededPackage } from './needed.ts';
import { until } from './until.ts';

/** As .ci/run asks: whether the device opens, and CAP_SYS_ADMIN, the 21st of the rights. */
export function mayMount(): boolean {
  try {
    closeSync(openSync('/dev/fuse', 'r+'));
    const [, rights = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return ((BigInt(`0x${rights}`) >> 21n) & 1n) === 1n;
  } catch {
    return false;
  }
}

/** Whether `mountLate` can be used. */
export function hasBindfs(): boolean {
  return (
    needed('FUSE', mayMount(), 'give it /dev/fuse and the right to mount; that nodes may see each other late is not proved') &&
    neededPackage('bindfs', isThere(), 'bindfs')
  );
}

export interface Mount extends AsyncDisposable {
  /** To the process that serves it: while that is stopped, all that touches the folder there hangs. */
  signal(signal: NodeJS.Signals): void;
}

/**
 * Mounts a folder at another place, where attributes, names and that there is no such name are believed for so long. `env`: of the process that serves it.
 * Dispose to unmount it.
 */
export async function mountLate(
  folder: string,
  at: string,
  cachedSeconds: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Mount> {
  mkdirSync(at);
  const before = statSync(at).dev;
  const cached = ['attr', 'entry', 'negative'].map((what) => `${what}_timeout=${cachedSeconds}`).join(',');
  const child: ChildProcess = spawn('bindfs', ['-f', '--multithreaded', '-o', cached, folder, at], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit');
  await until(`${at} to be mounted`, () => {
    if (child.exitCode !== null) throw new Error('bindfs ended instead of mounting');
    return statSync(at).dev !== before;
  });
  return {
    signal: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT');
      execFileSync('umount', ['--lazy', at]);
      await ended;
    },
  };
}

function isThere(): boolean {
  try {
    execFileSync('bindfs', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
