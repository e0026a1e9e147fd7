// Digests as files in `alarms/` of the data folder, for programs that watch it and people who look: the newest are kept.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '#domain/day.ts';
import { ensureFolder, replaceDurable } from '#runtime/files/durable.ts';
import type { Digest } from './digest.ts';

const FILES_MAX = 1_000;
const FILE = /^\d{8}T\d{6}Z-[0-9a-f]{8}\.txt$/;

export function alarmsFolder(data: string): string {
  return join(data, 'alarms');
}

/** Writes a digest as `20261124T134500Z-1a2b3c4d.txt`. */
export async function writeDigest(data: string, { id, subject, text }: Digest, at: number): Promise<void> {
  const folder = ensureFolder(alarmsFolder(data));
  const time = isoTime(at).replace(/[-:]|\.\d+/g, '');
  await replaceDurable(join(folder, `${time}-${id.slice(0, 8)}.txt`), Buffer.from(`${subject}\n\n${text}`), { mode: 0o640 });
  const old = readdirSync(folder).filter((name) => FILE.test(name));
  for (const name of old.sort().slice(0, -FILES_MAX)) rmSync(join(folder, name), { force: true });
}
