// What the daemon uses of the data folder, and may not: what root has made there, or has brought back, is root's.
import { join } from 'node:path';
import { AppError } from '#domain/error.ts';
import type { Config } from '#runtime/config/config.ts';
import { lockOf, START } from '#runtime/files/lock.ts';
import { refusalOf } from '#runtime/files/rights.ts';
import { LEDGER_FILES } from './data-folder.ts';

const WRITTEN = ['alarms', 'archive', 'audit', 'homes', 'incarnations', 'nodes', 'spool', 'staged'] as const;
/** Keys may be there already, handed over on a file system that is read only. */
const KEYS = 'keys';

type Placed = Pick<Config, 'data' | 'node'>;

/** A sentence for each folder and file directly below the data folder that this user may not use. */
export function refusalsIn({ data, node }: Placed): string[] {
  const ledgers = LEDGER_FILES.flatMap((file) => [file, `${file}-wal`, `${file}-shm`]);
  const written = [...[...WRITTEN, ...ledgers, START].map((name) => join(data, name)), lockOf(data, node)];
  return [...written.map((path) => refusalOf(path)), refusalOf(join(data, KEYS), 'read')].filter((refusal) => refusal !== undefined);
}

/** Throws `usage` with the first of these sentences. */
export function refuseForeignFiles(on: Placed): void {
  const [first] = refusalsIn(on);
  if (first !== undefined) throw new AppError('usage', first);
}
