// What work costs of the processor, in milliseconds of a quiet machine like the one on which the limits were set: a slow machine, or one that
// shares its cores, is measured along with the work.

const TURNS_MAX = 8;
/** What the yardstick takes there. */
export const YARDSTICK_MS = 25;

/** The least cost of a few turns, as what comes in between, a collection or a compilation, is not the work's; one that is `enough` is the last. */
export async function costOf(work: () => unknown, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TURNS_MAX && least >= enoughMs; turn++) {
    const before = await spentMs(yardstick);
    const spent = await spentMs(work);
    const slowness = Math.max(before, await spentMs(yardstick), YARDSTICK_MS) / YARDSTICK_MS;
    least = Math.min(least, spent / slowness);
  }
  return least;
}

/** What the yardstick takes here and now, once it is compiled. */
export async function yardstickMs(): Promise<number> {
  await spentMs(yardstick);
  return spentMs(yardstick);
}

/** By how much others who share the processors slow down what runs here. */
export async function slownessNow(): Promise<number> {
  const begun = performance.now();
  const spent = await yardstickMs();
  return Math.max((performance.now() - begun) / 2 / Math.min(spent, YARDSTICK_MS), 1);
}

async function spentMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const NUMBERS = new Int32Array(2 ** 16);

function yardstick(): void {
  for (let round = 0; round < 400; round++) {
    for (let at = 0; at < NUMBERS.length; at++) NUMBERS[at] = Math.imul((NUMBERS[at] ?? 0) ^ at, 0x9e3779b1) + round;
  }
}
