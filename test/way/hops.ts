// The way of an invoice as a list of hops. A hop is a call that enters another file; each pair of caller and callee counts once.
import type { Step } from './runs.ts';

export interface Hop {
  /** Of `STAGES`. */
  readonly stage: number;
  /** Null where a socket, a port or a queue has called. */
  readonly from: Step | null;
  readonly to: Step;
}

interface Stage {
  readonly title: string;
  /** Where files begin whose first call begins the stage. */
  readonly begins: string;
  /** Whether what those files call belongs to it later as well: several stages go on at a time. */
  readonly holds: boolean;
}

export const STAGES: readonly Stage[] = [
  { title: 'WRITE and CLOSE, up to OK', begins: 'gateway/sftp/', holds: true },
  { title: 'Admitted', begins: 'gateway/submit/', holds: true },
  { title: 'Posted', begins: 'gateway/submit/send.ts', holds: true },
  { title: 'Stored and delivered by the core', begins: 'core/api/', holds: false },
  { title: 'Announced, fetched, staged, published', begins: 'gateway/receive/', holds: true },
];
const LAST = STAGES.length - 1;

/** What tells the seller about it goes on beside the last stage, and is no part of the way. */
const SELLERS = ['gateway/submit/', 'gateway/follow/'];

/** The hops that all runs have, as they came in the run with the fewest others: what timers do falls out. */
export function commonHops(runs: readonly (readonly Step[])[]): readonly Hop[] {
  const all = runs.map((run) => new Map(hopsOf(run).map((hop) => [keyOf(hop), hop]))).sort((one, other) => one.size - other.size);
  return [...(all[0]?.entries() ?? [])].flatMap(([key, hop]) => (all.every((each) => each.has(key)) ? hop : []));
}

function hopsOf(run: readonly Step[]): readonly Hop[] {
  const hops = new Map<string, Hop>();
  let reached = 0;
  for (const step of run) {
    if (step.file.startsWith(STAGES[reached + 1]?.begins ?? ' ')) reached += 1;
    const stage = stageOf(step, reached);
    if (stage === null || step.by?.file === step.file || isGoingOn(step)) continue;
    const hop = { stage, from: step.by, to: step };
    const key = keyOf(hop);
    if (!hops.has(key)) hops.set(key, hop);
  }
  return [...hops.values()];
}

/** Whether a function goes on, called back in one without a name that it has given to those that it called. */
function isGoingOn({ file, isNamed, by }: Step): boolean {
  if (isNamed) return false;
  for (let at = by; at; at = at.by) if (at.file === file) return true;
  return false;
}

/** Of the nearest caller, or itself, that is in a file of a stage; else the one that was reached. */
function stageOf(step: Step, reached: number): number | null {
  for (let at: Step | null = step; at; at = at.by) {
    const { file } = at;
    if (reached === LAST && SELLERS.some((folder) => file.startsWith(folder))) return null;
    const own = STAGES.findLastIndex(({ begins, holds }) => holds && file.startsWith(begins));
    if (own >= 0) return own;
  }
  return reached;
}

export function keyOf({ from, to }: Hop): string {
  return `${from ? `${from.file}: ${from.name}` : 'outside'} → ${to.file}: ${to.name}`;
}
