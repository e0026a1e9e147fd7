// A small file system in memory, of its own, to be filled to the last byte; only root can mount one.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCode } from '#runtime/files/system-code.ts';
import { needed } from './needed.ts';

export const canMount = (): boolean =>
  needed('root', process.getuid?.() === 0, 'run the tests as root') && needed('mounts', mayMount(), 'run the tests where root may mount');

export interface SmallDisk extends Disposable {
  readonly folder: string;
  /** Fills it until so many bytes are free, and gives all of it back. */
  fill(freeBytes: number): void;
  empty(): void;
}

export function mountSmallDisk(sizeBytes: number, folder = mkdtempSync(join(tmpdir(), 'dropgate-disk-'))): SmallDisk {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes},mode=755`, 'none', folder]);
  const filler = join(folder, '.filler');
  return {
    folder,
    fill(freeBytes) {
      const { bavail, bsize } = statfsSync(folder);
      const file = openSync(filler, 'a');
      try {
        for (let left = bavail * bsize - freeBytes; left > 0; ) left -= writeSync(file, Buffer.alloc(Math.min(left, bsize)));
      } catch (error) {
        // Others write, too.
        if (systemCode(error) !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(filler, { force: true }),
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', folder]);
      rmdirSync(folder);
    },
  };
}

function mayMount(): boolean {
  try {
    mountSmallDisk(4_096)[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}
