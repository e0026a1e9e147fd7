// What this disk takes for the two things that documents wait for: a new file, and an fsync. Says how far figures can be compared.
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FILES = 200;
const BYTES = 10_000;

export interface DiskFigures {
  readonly createUs: number;
  readonly fsyncUs: number;
}

/** Means over new files in a fresh folder where the benches work. */
export function measureDisk(): DiskFigures {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-disk-'));
  const bytes = Buffer.alloc(BYTES, 'x');
  let [createMs, fsyncMs] = [0, 0];
  for (let file = 0; file < FILES; file++) {
    const start = performance.now();
    const descriptor = openSync(join(folder, String(file)), 'wx');
    createMs += performance.now() - start;
    writeSync(descriptor, bytes);
    const written = performance.now();
    fsyncSync(descriptor);
    fsyncMs += performance.now() - written;
    closeSync(descriptor);
  }
  rmSync(folder, { recursive: true });
  return { createUs: (createMs / FILES) * 1_000, fsyncUs: (fsyncMs / FILES) * 1_000 };
}
