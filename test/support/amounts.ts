// How much the long suites do: little where every change is tested (`.ci/run`, `npm run test:long:short`), or the whole (`npm run test:long`).
// A variable of a suite's own gives another amount; `all` is as many as there are.

/** By variable: little, and the whole. */
const AMOUNTS = {
  DROPGATE_BAD_FILES: [2_000, 100_000],
  DROPGATE_BROKEN_DOCUMENTS: [60, 1_000],
  DROPGATE_BUDGET: [120, 500],
  DROPGATE_CHILDREN: [200, 500],
  DROPGATE_CLUSTER_ROUNDS: [10, 300],
  DROPGATE_CRASH_POINTS: [2, Number.POSITIVE_INFINITY],
  DROPGATE_ERROR_FAULTS: [12, Number.POSITIVE_INFINITY],
  DROPGATE_EXPORT_POINTS: [4, Number.POSITIVE_INFINITY],
  DROPGATE_FAIRNESS: [600, 10_000],
  DROPGATE_FULL_DISK: [12, 400],
  DROPGATE_FUZZ_DOCUMENTS: [20_000, 100_000],
  DROPGATE_HAND_OVERS: [100, 1_000],
  DROPGATE_KILL_DROPS: [20, 500],
  DROPGATE_KILLS: [20, 1_000],
  DROPGATE_LIFE_POINTS: [3, Number.POSITIVE_INFINITY],
  DROPGATE_LOST_ANSWERS: [100, 1_000],
  DROPGATE_MOVED_ORDERS: [300, 100_000],
  DROPGATE_NODE_LOSSES: [1, Number.POSITIVE_INFINITY],
  DROPGATE_OUTAGES: [8, 1_000],
  DROPGATE_POLL_ACCOUNTS: [500, 10_000],
  DROPGATE_POLL_SEEDS: [100, 10_000],
  DROPGATE_POSTGRES_FAULTS: [5, 100],
  DROPGATE_PROCESSES_BETWEEN: [20, 200],
  DROPGATE_PROCESSES_DOCUMENTS: [160, 10_000],
  DROPGATE_REAL_BROKEN: [5, 43],
  DROPGATE_REAL_KILLS: [4, Number.POSITIVE_INFINITY],
  DROPGATE_REFUSED: [2_000, 50_000],
  DROPGATE_RESTORE_DOCUMENTS: [60, 600],
  DROPGATE_RHYTHM_YEARS: [1, 3],
} as const satisfies Readonly<Record<string, readonly [number, number]>>;

export type AmountName = keyof typeof AMOUNTS;

export const isWhole = process.env.DROPGATE_AMOUNTS === 'whole';

export function amountOf(name: AmountName): number {
  const given = process.env[name];
  if (given !== undefined) return given === 'all' ? Number.POSITIVE_INFINITY : Number(given);
  const [little, whole] = AMOUNTS[name];
  return isWhole ? whole : little;
}
