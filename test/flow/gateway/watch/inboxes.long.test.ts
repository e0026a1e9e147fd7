// 10,000 watched inboxes, each with its folder for replacements: what a start, a minute of nothing, and a file cost, with events and with polling.
// DROPGATE_INBOXES sets another number, DROPGATE_INBOXES_IDLE_S how long nothing happens. The clock is moved by hand, so that CPU is counted for each second of it, not of a busy machine's.
import { readdirSync, writeFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import type { Clock } from '#runtime/clock.ts';
import { manualClock } from '../../../support/clock.ts';
import { invoice } from '../../../support/documents.ts';
import { type DropStage, startDropStage } from '../../../support/drop.ts';
import { until } from '../../../support/until.ts';

const INBOXES = Number(process.env.DROPGATE_INBOXES ?? 10_000);
/** The first round lists every folder once more; in the long run that happens every hour. */
const IDLE_S = Number(process.env.DROPGATE_INBOXES_IDLE_S ?? 90);
const TICK_MS = 5_000;
/** An idle minute may cost so many times what a look into each inbox does. */
const TIMES_A_LOOK_MAX = 60;
const HOMES = Array.from({ length: INBOXES }, (_, n) => `home-${n}`);

let stage: DropStage | undefined;
afterEach(() => stage?.[Symbol.asyncDispose]());

interface Usage {
  readonly cpuMs: number;
  readonly rssMb: number;
}

function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1_000, rssMb: process.memoryUsage().rss / 1e6 };
}

/** A clock by hand that knows when a round's tick has ended: then the next one is asked for. */
function tickingClock(): { clock: Clock; tick: () => Promise<void> } {
  const manual = manualClock();
  let ticks = 0;
  const clock: Clock = {
    now: manual.now,
    after(delayMs, call) {
      if (delayMs === TICK_MS) ticks++;
      return manual.after(delayMs, call);
    },
  };
  return {
    clock,
    async tick() {
      const before = ticks;
      manual.advance(TICK_MS);
      await until('the end of the tick', () => ticks > before, 600_000);
    },
  };
}

it.each(['events', 'polling'] as const)('%s', async (watch) => {
  const before = usage();
  const { clock, tick } = tickingClock();
  const startedMs = performance.now();
  stage = startDropStage({ homes: HOMES, settings: { watch }, clock });
  const { taken, inbox } = stage;
  const made = usage();
  writeFileSync(inbox('last.xml', HOMES.at(-1)), invoice());
  while (taken.length === 0) await tick();
  const startMs = performance.now() - startedMs;
  const started = usage();

  for (let ms = 0; ms < IDLE_S * 1_000; ms += TICK_MS) await tick();
  const idle = usage();
  const idleMs = idle.cpuMs - started.cpuMs;
  const corePercent = (idleMs / (IDLE_S * 1_000)) * 100;
  // What it costs here and now to look into each inbox once.
  for (const home of HOMES) readdirSync(inbox('', home));
  const lookMs = usage().cpuMs - idle.cpuMs;

  for (let n = 0; n < 20; n++) writeFileSync(inbox(`${n}.xml`, HOMES[(n * 7_919) % INBOXES]), invoice());
  let seconds = 0;
  for (; taken.length < 21; seconds += TICK_MS / 1_000) {
    await tick();
    await new Promise((turn) => setTimeout(turn, 20));
  }
  console.log(
    `inboxes ${watch}: ${INBOXES} homes, start ${startMs.toFixed(0)} ms and ${(started.cpuMs - made.cpuMs).toFixed(0)} ms CPU, ${(idle.rssMb - before.rssMb).toFixed(0)} MB, idle ${corePercent.toFixed(2)} % of a core (${(idleMs / lookMs).toFixed(1)} times a look into each inbox), 20 files found within ${seconds} s`,
  );
  // The figures tell; these hold on any machine, and fail when a folder costs several times as much.
  expect(idleMs).toBeLessThan(TIMES_A_LOOK_MAX * lookMs);
  expect(idle.rssMb - before.rssMb).toBeLessThan(600);
});
