// Once before all files: a daemon starts and stops, so that Node keeps what it compiled (NODE_COMPILE_CACHE), and the hundreds of daemons and
// commands that tests start need not compile it again. Those that are killed would keep nothing.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SELLER_AND_BUYER, startDaemon } from './daemon.ts';

export async function setup(): Promise<void> {
  const folder = process.env.NODE_COMPILE_CACHE;
  if (folder === undefined) return;
  const done = join(folder, 'daemon-compiled');
  if (existsSync(done)) return;
  await using daemon = await startDaemon({ accounts: SELLER_AND_BUYER });
  await daemon.stop();
  writeFileSync(done, '');
}
