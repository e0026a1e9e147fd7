// A gateway and a core as processes of their own, each killed (SIGKILL) again and again while documents go through both: none is lost, none
// comes twice. DROPGATE_PROCESSES_DOCUMENTS is how many there are (160; the whole has 10,000), DROPGATE_PROCESSES_BETWEEN how many
// acknowledgements and arrivals are between two kills of one of them, at the most (20; in the whole 200); DROPGATE_KILL_SEED repeats a run.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { amountOf, isWhole } from '../support/amounts.ts';
import { type PairOptions, startPair } from '../support/daemon-pair.ts';
import { openFaults } from '../support/faults/shim.ts';
import { randomOf } from '../support/random.ts';
import { openKiller } from './killer.ts';
import { accountsOf, ONE_TO_ONE } from './parties.ts';
import { startTraffic } from './traffic.ts';

const DOCUMENTS = amountOf('DROPGATE_PROCESSES_DOCUMENTS');
const BETWEEN_MAX = amountOf('DROPGATE_PROCESSES_BETWEEN');
/** Of both together; the short form of `kill.long.test.ts` has as many again. */
const KILLS_MIN = isWhole ? 100 : 40;
const AFTERWARDS_MS_MAX = 500;
/** A document that has met the core's death six times waits a quarter of an hour. */
const SETTLED_WITHIN_MS = 1_200_000;
const SEED = Number(process.env.DROPGATE_KILL_SEED ?? Date.now() % 1_000_000);
const REQUESTS = 1_000_000;
const PAIR: PairOptions = {
  accounts: accountsOf(ONE_TO_ONE),
  core: { config: { core: { requests: REQUESTS } } },
  gateway: {
    config: { sftp: { listen: '127.0.0.1:0', unauthenticatedPerAddressMax: 100 }, gateway: { poll: '1s', pollSilent: '1s' } },
  },
};

it(`documents pass two processes that die (seed ${SEED})`, { timeout: 1_800_000 + DOCUMENTS * 1_000 }, async () => {
  const random = randomOf(SEED);
  const killer = openKiller(random);
  await using pair = await startPair(PAIR);
  const { core, gateway } = pair;
  const traffic = startTraffic({ core, gateway, documents: DOCUMENTS, uploadsAtOnce: 6, settledWithinMs: SETTLED_WITHIN_MS });
  try {
    // To the very end in the whole; in the short form what is left then may get through in peace.
    const goesOn = (): boolean => killer.kills < KILLS_MIN || (isWhole && !traffic.isDone());
    const live = (): Promise<void> => traffic.moves(random(1, BETWEEN_MAX)).then(() => pause(random(0, AFTERWARDS_MS_MAX)));
    await Promise.all([traffic.uploaded, ...[core, gateway].map((victim) => killer.during(victim, live, goesOn))]);
    await traffic.settle();
  } finally {
    await traffic.stop();
  }
  const tally = await traffic.tally();
  const { acknowledged, tries, lost, twice } = tally;
  console.log(
    `gateway and core apart: ${killer.kills} kills, ${tries} tries for ${acknowledged} acknowledged documents, ${lost.length} lost, ${twice.length} twice, ${killer.recovery()}, seed ${SEED}`,
  );
  expect(tally).toMatchObject({ acknowledged: DOCUMENTS, lost: [], twice: [], odd: [] });
});

it('what is lost is noticed: the disk answers one rename into an outbox without doing it', { timeout: 600_000 }, async () => {
  const parent = mkdtempSync(join(tmpdir(), 'dropgate-lying-'));
  using faults = openFaults({ root: parent });
  try {
    await using pair = await startPair({ ...PAIR, gateway: { ...PAIR.gateway, parent, env: faults.env } });
    const { core, gateway } = pair;
    faults.set([{ action: 'ignore', kinds: ['rename'], path: '*/homes/buyer/outbox/*', from: 2, times: 1 }]);
    const traffic = startTraffic({ core, gateway, documents: 4, uploadsAtOnce: 1, settledWithinMs: SETTLED_WITHIN_MS });
    await traffic.uploaded;
    await traffic.arrived(3, 4);
    await traffic.stop();
    expect((await traffic.tally()).lost).toHaveLength(1);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
