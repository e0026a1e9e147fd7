// What is told of releases: that one is coming, has ended without a later one, or is old.
import { expect, it } from 'vitest';
import { LATEST_RELEASES, releaseNews } from '#rules/releases.ts';
import { RULE_SETS } from '../../support/rule-sets.ts';

const [SOME] = RULE_SETS;
const set = (release: string, from: string, until?: string) => {
  if (!SOME) throw new Error('there is no rule set');
  const { until: _, ...rest } = SOME;
  return { ...rest, name: 'bis', release, from, ...(until !== undefined && { until }) };
};
const on = (day: string, ...sets: readonly ReturnType<typeof set>[]) =>
  releaseNews(sets, Date.parse(day)).map(({ what, release, day: at }) => [what, release, at]);

it('says nothing of a release that is in force', () => {
  expect(on('2026-03-01', set('1', '2026-01-01'))).toEqual([]);
});

it('says from thirty days before that a release becomes mandatory', () => {
  const sets = [set('2', '2026-06-01'), set('1', '2025-12-01', '2026-06-01')];
  expect(on('2026-05-01', ...sets)).toEqual([]);
  expect(on('2026-05-03', ...sets)).toEqual([['coming', '2', '2026-06-01']]);
  expect(on('2026-06-02', ...sets)).toEqual([]);
});

it('says that the latest ends, or is older than publishers let them become', () => {
  expect(on('2026-05-20', set('1', '2026-01-01', '2026-06-01'))).toEqual([['ended', '1', '2026-06-01']]);
  expect(on('2026-12-01', set('1', '2026-01-01'))).toEqual([['old', '1', '2026-01-01']]);
});

it('names the latest release of every rule set', () => {
  const releases = (sets: readonly { readonly name: string; readonly release: string; readonly from: string }[]) =>
    new Map(sets.toSorted((a, b) => (a.from < b.from ? -1 : 1)).map(({ name, release, from }) => [name, `${release} from ${from}`]));
  expect(releases(LATEST_RELEASES)).toEqual(releases(RULE_SETS));
});
