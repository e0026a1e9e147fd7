// Kills daemons at random moments, also while they start, starts them again, and remembers how long each took to be ready.
import { setTimeout as pause } from 'node:timers/promises';
import type { TestDaemon } from '../support/daemon.ts';
import type { randomOf } from '../support/random.ts';

export interface Killer {
  readonly kills: number;
  /** Lets it live, kills it and starts it again, until it shall not go on. */
  during(victim: TestDaemon, live: () => Promise<unknown>, goesOn: () => boolean): Promise<void>;
  /** From a start to being ready: the usual time, and the longest. */
  recovery(): string;
}

/** Of four kills, so many come while the victim starts. */
const WHILE_STARTING = 2;
const STARTING_MS = [50, 900] as const;

export function openKiller(random: ReturnType<typeof randomOf>): Killer {
  const tookMs: number[] = [];
  let kills = 0;
  async function kill(victim: TestDaemon): Promise<void> {
    await victim.kill();
    kills++;
  }
  return {
    get kills() {
      return kills;
    },
    async during(victim, live, goesOn) {
      while (goesOn()) {
        await live();
        await kill(victim);
        while (goesOn() && random(1, 4) <= WHILE_STARTING) {
          const starting = victim.start().catch(() => undefined);
          await pause(random(...STARTING_MS));
          await kill(victim);
          await starting;
        }
        const beganMs = performance.now();
        await victim.start();
        tookMs.push(performance.now() - beganMs);
      }
    },
    recovery() {
      const sorted = [...tookMs].sort((a, b) => a - b);
      const seconds = (ms = 0): string => (ms / 1_000).toFixed(1);
      return `ready again after ${seconds(sorted[sorted.length >> 1])} s, ${seconds(sorted.at(-1))} s at the most`;
    },
  };
}
