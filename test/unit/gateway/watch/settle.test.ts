// When a file in a folder counts as complete.
import { describe, expect, it } from 'vitest';
import { type Candidate, type Facts, isDue, lookedAt, startedAnew, stepOf, waiting } from '#gateway/watch/settle.ts';

const SETTINGS = { settle: 5_000, incomplete: 600_000, rescan: 10_000 };
const FACTS: Facts = { size: 100, mtimeMs: 1_000, ctimeMs: 1_000, ino: 7 };
const AT = 1_000_000;

const looks = (...at: (readonly [ms: number, facts?: Partial<Facts>])[]): Candidate => {
  let candidate: Candidate | undefined;
  for (const [ms, facts] of at) candidate = lookedAt(candidate, { ...FACTS, ...facts }, AT + ms);
  if (!candidate) throw new RangeError('no look');
  return candidate;
};

describe('a file', () => {
  it('that was not seen before waits', () => {
    expect(stepOf(looks([0]), SETTINGS, true)).toBe('wait');
  });

  it('is read after two looks that are settle apart', () => {
    expect(stepOf(looks([0], [4_999]), SETTINGS, true)).toBe('wait');
    expect(stepOf(looks([0], [5_000]), SETTINGS, true)).toBe('read');
  });

  it.each<[string, Partial<Facts>]>([
    ['size', { size: 101 }],
    ['time of its last write', { mtimeMs: 1_001 }],
    ['inode', { ino: 8 }],
  ])('whose %s changed starts anew', (_, change) => {
    expect(stepOf(looks([0], [5_000, change]), SETTINGS, false)).toBe('wait');
    expect(stepOf(looks([0], [5_000, change], [10_000, change]), SETTINGS, false)).toBe('read');
  });

  it('whose last change was no write was renamed in, and is read at once', () => {
    expect(stepOf(looks([0, { ctimeMs: 1_001 }]), SETTINGS, true)).toBe('read');
  });

  it('that was renamed in on a file system whose times are not trusted must settle', () => {
    expect(stepOf(looks([0, { ctimeMs: 1_001 }]), SETTINGS, false)).toBe('wait');
  });

  it('that was written while it was taken must settle, for our giving it back was a rename too', () => {
    const candidate = lookedAt(startedAnew(looks([0]), SETTINGS), { ...FACTS, ctimeMs: 9_000 }, AT + 1_000);
    expect(stepOf(candidate, SETTINGS, true)).toBe('wait');
    expect(stepOf(lookedAt(candidate, { ...FACTS, ctimeMs: 9_000 }, AT + 6_000), SETTINGS, true)).toBe('read');
  });

  it('that is unfinished is not read again until it changes, and is taken when its time is over', () => {
    let candidate: Candidate = { ...looks([0], [5_000]), unfinished: true };
    for (let ms = 15_000; ms < 600_000; ms += 10_000) {
      candidate = lookedAt(candidate, FACTS, AT + ms);
      expect(stepOf(candidate, SETTINGS, true)).toBe('wait');
    }
    expect(stepOf(lookedAt(candidate, FACTS, AT + 605_000), SETTINGS, true)).toBe('take');
    expect(stepOf(lookedAt(candidate, { ...FACTS, size: 200 }, AT + 605_000), SETTINGS, true)).toBe('wait');
  });
});

describe('a clock', () => {
  it('that jumps ahead by a day ends no wait of ten minutes', () => {
    const candidate: Candidate = { ...looks([0]), unfinished: true };
    expect(stepOf(lookedAt(candidate, FACTS, AT + 86_400_000), SETTINGS, true)).toBe('wait');
  });

  it('that is set back delays no look', () => {
    const candidate = waiting(looks([0]), SETTINGS);
    expect(isDue(candidate, AT + 1)).toBe(false);
    expect(isDue(candidate, AT - 3_600_000)).toBe(true);
    expect(lookedAt(candidate, FACTS, AT - 3_600_000).quietMs).toBe(0);
  });
});

it('the next look is when it may have settled, and of an unfinished one every rescan', () => {
  expect(waiting(looks([0], [2_000]), SETTINGS).dueMs).toBe(AT + 5_000);
  expect(waiting({ ...looks([0], [2_000]), unfinished: true }, SETTINGS).dueMs).toBe(AT + 12_000);
});
