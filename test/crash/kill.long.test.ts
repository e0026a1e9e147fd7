// Kills the daemon (SIGKILL) at random moments while an ERP uploads and another takes documents away, starts it again each time, and
// counts in the end: every upload that was acknowledged has arrived, exactly once. DROPGATE_KILLS is how many kills
// there are (40; the whole has 1,000), DROPGATE_KILL_SEED repeats a run.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { amountOf } from '../support/amounts.ts';
import { type DaemonOptions, startDaemon } from '../support/daemon.ts';
import { openFaults } from '../support/faults/shim.ts';
import { randomOf } from '../support/random.ts';
import { openKiller } from './killer.ts';
import { accountsOf, ONE_TO_ONE } from './parties.ts';
import { startTraffic } from './traffic.ts';

const KILLS = amountOf('DROPGATE_KILLS');
const SEED = Number(process.env.DROPGATE_KILL_SEED ?? Date.now() % 1_000_000);
const DOCUMENTS_PER_KILL = 6;
/** Acknowledged documents between two kills of a daemon that had started, at the most; about as many kills come while it starts. */
const ACKNOWLEDGED_MAX = 20;
const AFTERWARDS_MS_MAX = 60;
/** Of six documents a kill each is marked read after the last one. */
const SETTLED_WITHIN_MS = 600_000 + KILLS * 1_000;

const OPTIONS: DaemonOptions = {
  accounts: accountsOf(ONE_TO_ONE),
  config: { sftp: { listen: '127.0.0.1:0', unauthenticatedPerAddressMax: 100 }, core: { listen: '127.0.0.1:0', requests: 1_000_000 } },
};

it(`every acknowledged upload arrives exactly once, though the daemon is killed (seed ${SEED})`, {
  timeout: 600_000 + KILLS * 30_000,
}, async () => {
  const random = randomOf(SEED);
  const killer = openKiller(random);
  await using daemon = await startDaemon(OPTIONS);
  const traffic = startTraffic({
    gateway: daemon,
    core: daemon,
    documents: KILLS * DOCUMENTS_PER_KILL,
    uploadsAtOnce: 6,
    settledWithinMs: SETTLED_WITHIN_MS,
  });
  try {
    const live = (): Promise<void> => traffic.more(random(1, ACKNOWLEDGED_MAX)).then(() => pause(random(0, AFTERWARDS_MS_MAX)));
    await killer.during(daemon, live, () => killer.kills < KILLS);
    await traffic.uploaded;
    await traffic.settle();
  } finally {
    await traffic.stop();
  }
  const tally = await traffic.tally();
  const { acknowledged, tries, lost, twice } = tally;
  console.log(
    `kills: ${killer.kills} kills, ${tries} tries for ${acknowledged} acknowledged documents, ${lost.length} lost, ${twice.length} twice, ${killer.recovery()}, seed ${SEED}`,
  );
  expect(tally).toMatchObject({ acknowledged: KILLS * DOCUMENTS_PER_KILL, lost: [], twice: [], odd: [] });
});

it('what is lost is noticed: the disk answers one rename into the spool without doing it', { timeout: 600_000 }, async () => {
  const parent = mkdtempSync(join(tmpdir(), 'dropgate-lying-'));
  using faults = openFaults({ root: parent });
  try {
    await using daemon = await startDaemon({ ...OPTIONS, parent, env: faults.env });
    faults.set([{ action: 'ignore', kinds: ['rename'], path: '*/spool/seller/*', from: 3, times: 1 }]);
    const traffic = startTraffic({ gateway: daemon, core: daemon, documents: 6, uploadsAtOnce: 1, settledWithinMs: SETTLED_WITHIN_MS });
    await traffic.uploaded;
    await daemon.kill();
    await daemon.start();
    await traffic.arrived(5, 5);
    await traffic.stop();
    expect((await traffic.tally()).lost).toEqual(['KILL-2']);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
