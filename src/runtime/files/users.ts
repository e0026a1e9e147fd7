// Users of the operating system by their names.
import { readFileSync } from 'node:fs';

/** As `/etc/passwd` has it. */
export function userName(uid: number): string {
  const row = textOf('/etc/passwd')
    .split('\n')
    .find((line) => line.split(':')[2] === String(uid));
  return row?.split(':')[0] ?? `uid ${uid}`;
}

/** '' where there is none. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
