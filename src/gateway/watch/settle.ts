// When a file in a folder counts as complete: decided by what was seen of it, look by look. Pure.

/** What is seen of a file. */
export interface Facts {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

export interface SettleSettings {
  /** A file must not have changed for so long. */
  readonly settle: number;
  /** How long a document that is not whole is waited for. */
  readonly incomplete: number;
  /** How often a folder is looked at without a reported change. */
  readonly rescan: number;
}

/** A file that may soon be taken. */
export interface Candidate {
  readonly facts: Facts;
  readonly lookedMs: number;
  /** For how long looks have found it unchanged. */
  readonly quietMs: number;
  /** Not to be looked at before. */
  readonly dueMs: number;
  /** It was read, and is not whole; it is not read again before it changes. */
  readonly unfinished: boolean;
  /** It must settle even if it was renamed into the folder: a program was seen writing it, or it cannot be read as a document. */
  readonly mustSettle: boolean;
  /** It was logged that it is not whole yet. */
  readonly told: boolean;
}

type Step = 'wait' | 'read' | 'take';

/** The longest time that one look counts, so that a clock that jumps ahead neither settles a file nor ends a wait. */
const COUNTED_MS_MAX = 60_000;

/** The candidate after one more look. */
export function lookedAt(before: Candidate | undefined, facts: Facts, nowMs: number): Candidate {
  const { size, mtimeMs, ino } = facts;
  const same = before?.facts.size === size && before.facts.mtimeMs === mtimeMs && before.facts.ino === ino;
  const { mustSettle = false, told = false } = before ?? {};
  if (!same) return { facts, lookedMs: nowMs, quietMs: 0, dueMs: nowMs, unfinished: false, mustSettle, told };
  const counted = Math.min(Math.max(nowMs - before.lookedMs, 0), COUNTED_MS_MAX);
  return { ...before, facts, lookedMs: nowMs, quietMs: before.quietMs + counted };
}

/**
 * What to do with it now. `trusted`: the file system keeps times as this machine's own do, where a write sets mtime and ctime alike. A later ctime
 * is a rename, or a change of mode or times, which comes after the writing.
 */
export function stepOf(candidate: Candidate, { settle, incomplete }: SettleSettings, trusted: boolean): Step {
  const { facts, quietMs, unfinished, mustSettle } = candidate;
  if (unfinished) return quietMs >= incomplete ? 'take' : 'wait';
  const isRenamedIn = trusted && !mustSettle && facts.ctimeMs > facts.mtimeMs;
  return quietMs >= settle || isRenamedIn ? 'read' : 'wait';
}

/** It waits: the time of the next look. */
export function waiting(candidate: Candidate, { settle, incomplete, rescan }: SettleSettings): Candidate {
  const { lookedMs, quietMs, unfinished } = candidate;
  const leftMs = unfinished ? Math.min(rescan, incomplete - quietMs) : settle - quietMs;
  return { ...candidate, dueMs: lookedMs + Math.min(Math.max(leftMs, 1), COUNTED_MS_MAX) };
}

/** Whether it is time for another look. A last look in the future means that the clock was set back. */
export function isDue({ dueMs, lookedMs }: Candidate, nowMs: number): boolean {
  return dueMs <= nowMs || lookedMs > nowMs;
}

/** It changed while it was being taken. */
export function startedAnew(candidate: Candidate, settings: SettleSettings): Candidate {
  return waiting({ ...candidate, quietMs: 0, unfinished: false, mustSettle: true }, settings);
}
