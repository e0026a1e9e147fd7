// What an administrator should know of the releases of rule sets: that one is coming, has ended, or is old.
import { PROFILES } from '#domain/profiles.ts';
import { latestRelease } from '#rules/common/latest.ts';
import type { Release } from '#rules/engine/rule.ts';

export interface ReleaseNews {
  readonly name: string;
  readonly what: 'coming' | 'ended' | 'old';
  readonly release: string;
  /** When it becomes mandatory, ends, or became mandatory, `YYYY-MM-DD`. */
  readonly day: string;
}

const DAY_MS = 86_400_000;
/** So long before its day a release is told of. */
const COMING_MS = 30 * DAY_MS;
/** Publishers bring out a release every half year, and give a quarter's time. */
const OLD_MS = 300 * DAY_MS;

interface NamedRelease extends Release {
  readonly name: string;
}

/** Of all rule sets: those that profiles ask for. */
export const LATEST_RELEASES: readonly NamedRelease[] = [...new Set(PROFILES.flatMap(({ ruleSets }) => ruleSets))].map((name) => ({
  name,
  ...latestRelease(name),
}));

/** At most one of each name. */
export function releaseNews(sets: readonly NamedRelease[], nowMs: number): ReleaseNews[] {
  return [...Map.groupBy(sets, ({ name }) => name)].flatMap(([name, releases]): ReleaseNews[] => {
    const latest = releases.toSorted((a, b) => (a.from < b.from ? -1 : 1)).at(-1);
    if (!latest) return [];
    const { release, from, until } = latest;
    const sinceMs = nowMs - Date.parse(from);
    if (sinceMs < 0) return sinceMs > -COMING_MS ? [{ name, what: 'coming', release, day: from }] : [];
    if (until !== undefined && nowMs > Date.parse(until) - COMING_MS) return [{ name, what: 'ended', release, day: until }];
    return sinceMs > OLD_MS ? [{ name, what: 'old', release, day: from }] : [];
  });
}
