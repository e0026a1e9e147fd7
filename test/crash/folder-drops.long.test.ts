// Kills the daemon (SIGKILL) at random moments while a program drops files into a folder, on the spool's file system and on another one: in the
// end each was sent once and has one receipt. DROPGATE_KILL_DROPS is how many files there are (20; the whole has 500), DROPGATE_KILL_SEED repeats a run.

import { cpSync, existsSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { amountOf } from '../support/amounts.ts';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { randomOf } from '../support/random.ts';
import { stagedIn } from '../support/staged.ts';
import { until } from '../support/until.ts';

const DROPS = amountOf('DROPGATE_KILL_DROPS');
const SEED = Number(process.env.DROPGATE_KILL_SEED ?? Date.now() % 1_000_000);
/** Files that are dropped in one life of the daemon, at the most. */
const DROPS_A_LIFE = 6;
const WITHIN_MS = 600_000;
/** Every few files are a start of the daemon, of two at a time. */
const TIMEOUT_MS = WITHIN_MS + DROPS * 6_000;
/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm';
const hasMemory = existsSync(MEMORY) && statSync(MEMORY).dev !== statSync(tmpdir()).dev;
const PLACES = ['the spool', ...(hasMemory ? ['another file system'] : [])];

it.concurrent.each(PLACES)('a folder on the file system of %s', { timeout: TIMEOUT_MS }, async (where) => {
  const random = randomOf(SEED);
  await using daemon = await startDaemon({
    accounts: SELLER_AND_BUYER,
    config: {
      sftp: { listen: '127.0.0.1:0' },
      core: { listen: '127.0.0.1:0', requests: 1_000_000 },
      gateway: { settle: '100ms', rescan: '1s' },
    },
  });
  const memory = where === 'the spool' ? null : mkdtempSync(join(MEMORY, 'dropgate-spool-'));
  try {
    if (memory !== null) await moveSpool(daemon, memory);
    const names = Array.from({ length: DROPS }, (_, n) => `inv-${n}.xml`);
    let [dropped, kills] = [0, 0];
    const receipts = (): string[] => daemon.files('seller', 'receipts').filter((name) => !name.endsWith('.delivered.json'));
    while (dropped < DROPS) {
      const some = names.slice(dropped, dropped + random(1, DROPS_A_LIFE));
      dropped += some.length;
      const goal = Math.min(receipts().length + random(0, some.length), dropped);
      const dropping = dropAll(daemon, some, () => random(0, 40));
      await until('some receipts', () => receipts().length >= goal, WITHIN_MS);
      await pause(random(0, 60));
      await daemon.kill();
      kills++;
      await daemon.start();
      await dropping;
    }
    await until('an empty inbox', () => daemon.files('seller', 'inbox').join() === 'overwrite', WITHIN_MS);
    await until('an empty spool', () => daemon.spooled().length === 0, WITHIN_MS);
    await until('the last receipts', () => stagedIn(daemon.data).length === 0, WITHIN_MS);

    const byName = Map.groupBy(receipts(), (receipt) => receipt.slice(0, receipt.indexOf('.xml') + 4));
    const stages = receipts().map((receipt) => receipt.split('.').at(-2));
    const twice = [...byName.values()].filter((of) => of.length > 1).length;
    console.log(`folder drops killed, ${where}: seed ${SEED}, ${DROPS} files, ${kills} kills, lost ${DROPS - byName.size}, twice ${twice}`);
    expect([[...byName.keys()].sort(), twice]).toEqual([names.sort(), 0]);
    expect(new Set(stages)).toEqual(new Set(['accepted']));
    expect(kills).toBeGreaterThanOrEqual(DROPS / DROPS_A_LIFE);
  } finally {
    if (memory !== null) rmSync(memory, { recursive: true });
  }
});

/** The spool goes to the other file system, rather than the inbox: to mount something takes root. */
async function moveSpool(daemon: TestDaemon, memory: string): Promise<void> {
  await daemon.stop();
  const spool = join(daemon.data, 'spool');
  cpSync(spool, memory, { recursive: true });
  rmSync(spool, { recursive: true });
  symlinkSync(memory, spool);
  await daemon.start();
}

/** Half of them are renamed in, half simply written. */
async function dropAll(daemon: TestDaemon, names: readonly string[], pauseMs: () => number): Promise<void> {
  for (const [n, name] of names.entries()) {
    const path = daemon.home('seller', join('inbox', name));
    const bytes = invoice({ id: `KILL-${name}` });
    if (n % 2 === 0) writeFileSync(path, bytes);
    else {
      writeFileSync(`${path}.tmp`, bytes);
      renameSync(`${path}.tmp`, path);
    }
    await pause(pauseMs());
  }
}
