import { describe, expect, it } from 'vitest';
import { makeRoom } from '#gateway/spool/room.ts';
import type { SeenState } from '#gateway/spool/view.ts';

const LIMITS = { unfinishedMax: 100, fileMax: 20 };
const file = (state: SeenState, size: number, mtimeMs = 0) => ({ state, size, mtimeMs });

describe('room for one more upload', () => {
  it('is there as long as all together, each one under way counted as the largest file, are within the limit', () => {
    expect(makeRoom([], LIMITS)).toEqual([]);
    expect(makeRoom([file('open', 0), file('waiting', 60)], LIMITS)).toEqual([]);
  });

  it('is made by giving up broken uploads, oldest first and no more than it takes', () => {
    const [old, young] = [file('broken', 15, 1), file('broken', 15, 2)];
    expect(makeRoom([young, file('waiting', 60), old], LIMITS)).toEqual([old]);
  });

  it('is refused in a sentence when only what was promised is left', () => {
    const all = [file('waiting', 70), file('open', 0)];
    expect(() => makeRoom(all, LIMITS)).toThrow('no room for more: 2 uploads are not finished; close, rename or remove some of them');
  });

  it('is limited in number, however small they are', () => {
    const tiny = Array.from({ length: 10_000 }, () => file('waiting', 0));
    expect(() => makeRoom(tiny, LIMITS)).toThrow('no room');
    expect(makeRoom(tiny.slice(1), LIMITS)).toEqual([]);
  });
});
