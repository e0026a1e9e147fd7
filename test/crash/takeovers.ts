// How soon what a node owed is under way again, from when it can do nothing more: for each home that it had in hand, until another has tried or published
// something of what was acknowledged; where nothing was owed, until another says that it has taken the home up.
import { setTimeout as pause } from 'node:timers/promises';
import { median, percentile } from '../bench/figures.ts';
import { slownessNow } from '../support/cost.ts';
import type { TestDaemon } from '../support/daemon.ts';
import { until } from '../support/until.ts';
import type { ClusterRows } from './cluster-rows.ts';

const LOOK_EVERY_MS = 50;
/** What does not come within so many times the limit does not come. */
const PATIENCE = 6;

export interface TakeoversParts {
  readonly rows: ClusterRows;
  /** Of all gateways. */
  readonly facts: TestDaemon['facts'];
  readonly leaseMs: number;
  /** So long beyond the lease it may take, on a machine that does nothing else. */
  readonly withinMs: number;
}

export class Takeovers {
  readonly #parts: TakeoversParts;
  readonly #tookMs: number[] = [];
  /** Beyond the lease, in milliseconds of a machine that does nothing else. */
  readonly #beyondMs: number[] = [];

  constructor(parts: TakeoversParts) {
    this.#parts = parts;
  }

  /** The process with this incarnation has just died, or was cut off. Resolves when all that it owed is under way at others. */
  async of(incarnation: string): Promise<void> {
    const { rows, leaseMs } = this.#parts;
    const diedAt = Date.now();
    const homes = await rows.homesOf(incarnation);
    await Promise.all(
      homes.map(async (home) => {
        const tookMs = (await this.#underWay(home, incarnation, diedAt)) - diedAt;
        const slowness = await slownessNow();
        this.#tookMs.push(tookMs);
        this.#beyondMs.push((tookMs - leaseMs) / slowness);
        console.log(`  ${home} went on after ${tookMs} ms, on a machine ${slowness.toFixed(1)} times slower than a quiet one`);
      }),
    );
  }

  get beyondMsAtP99(): number {
    return percentile(this.#beyondMs, 99);
  }

  figures(): string {
    const [half, most, slowest] = [median(this.#tookMs), percentile(this.#tookMs, 99), Math.max(...this.#tookMs)].map(seconds);
    return `${this.#tookMs.length} homes gone on with ${half} s after their node died, ${most} s at p99, ${slowest} s at the most`;
  }

  /** When it was. */
  async #underWay(home: string, before: string, diedAt: number): Promise<number> {
    const { rows, leaseMs, withinMs } = this.#parts;
    const owed = await rows.owedTo(home, diedAt);
    const look = async (): Promise<number | undefined> => {
      await pause(LOOK_EVERY_MS);
      // The database may yet have done what the dead one had asked for.
      const isOpen = await rows.isOpen(owed);
      return (await rows.goneOnWith(owed, diedAt)) ?? (isOpen ? undefined : this.#takenUp(home, before, diedAt));
    };
    return until(`${home} to be gone on with`, look, leaseMs + PATIENCE * withinMs);
  }

  async #takenUp(home: string, before: string, diedAt: number): Promise<number | undefined> {
    const { rows, facts } = this.#parts;
    const owner = await rows.ownerOf(home);
    if (!owner || owner.incarnation === before) return undefined;
    const told = facts().filter((fact) => fact.event === 'home.taken-up' && fact.home === home);
    return told.map(({ time }) => Date.parse(String(time))).find((at) => at > diedAt);
  }
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
