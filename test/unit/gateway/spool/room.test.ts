import { describe, expect, it } from 'vitest';
import { openRoom } from '#gateway/spool/room.ts';
import { InboxView, type Seen, type SeenState } from '#gateway/spool/view.ts';

const LIMITS = { unfinishedMax: 100, fileMax: 20 };

interface File {
  readonly state: SeenState;
  readonly size: number;
}

const file = (state: SeenState, size: number): File => ({ state, size });

function roomOf(files: readonly File[]) {
  const room = openRoom<File>();
  for (const each of files) room.add(each);
  return room;
}

describe('room for one more upload', () => {
  it('is there as long as all together, each one under way counted as the largest file, are within the limit', () => {
    expect(roomOf([]).make(LIMITS)).toEqual([]);
    expect(roomOf([file('open', 0), file('waiting', 60)]).make(LIMITS)).toEqual([]);
  });

  it('is made by giving up broken uploads, oldest first and no more than it takes', () => {
    const [old, young] = [file('broken', 15), file('broken', 15)];
    expect(roomOf([old, file('waiting', 60), young]).make(LIMITS)).toEqual([old]);
  });

  it('is refused in a sentence when only what was promised is left', () => {
    const all = [file('waiting', 70), file('open', 0)];
    expect(() => roomOf(all).make(LIMITS)).toThrow('no room for more: 2 uploads are not finished; close, rename or remove some of them');
  });

  it('is limited in number, however small they are', () => {
    const tiny = Array.from({ length: 10_000 }, () => file('waiting', 0));
    expect(() => roomOf(tiny).make(LIMITS)).toThrow('no room');
    expect(roomOf(tiny.slice(1)).make(LIMITS)).toEqual([]);
  });

  it('comes back with each that goes, of whatever kind, and only once', () => {
    const all = [file('open', 0), file('waiting', 60), file('broken', 20)];
    const room = roomOf(all);
    for (const each of all) room.add(each);
    for (const each of [...all, ...all]) room.remove(each);
    expect([...room]).toEqual([]);
    expect(room.make({ unfinishedMax: 20, fileMax: 20 })).toEqual([]);
  });
});

describe('a view of many unfinished uploads', () => {
  /** How often state or size of one of them was looked at. */
  let looks = 0;
  const upload = (at: number, state: SeenState, session: string): Seen => {
    const facts = { state, size: 1 };
    return {
      home: 'seller',
      folder: 'inbox',
      name: `${at}.part`,
      mtimeMs: at,
      path: '',
      login: 'erp',
      session,
      id: String(at),
      lingerUntilMs: 0,
      ended: false,
      get state() {
        looks++;
        return facts.state;
      },
      set state(now) {
        facts.state = now;
      },
      get size() {
        looks++;
        return facts.size;
      },
      set size(now) {
        facts.size = now;
      },
    };
  };
  const viewOf = (count: number, state: SeenState): InboxView => {
    const view = new InboxView();
    for (let at = 0; at < count; at++) view.show(upload(at, state, 'theirs'));
    return view;
  };
  const limits = { unfinishedMax: 1_000_000, fileMax: 20 };

  it('looks at none of them when one more begins, changes, ends, or its session leaves', () => {
    const looksAmong = (count: number): number => {
      const view = viewOf(count, 'waiting');
      const mine = upload(count, 'open', 'mine');
      looks = 0;
      expect(view.makeRoom('seller', limits)).toEqual([]);
      view.show(mine);
      view.change(mine, { state: 'broken', size: 5 });
      expect(view.leave('mine')).toEqual([]);
      view.hide(mine);
      return looks;
    };
    expect(looksAmong(9_000)).toBe(looksAmong(10));
  });

  it('looks only at those that go, and at none when it refuses', () => {
    const broken = viewOf(9_999, 'broken');
    broken.show(upload(9_999, 'broken', 'theirs'));
    looks = 0;
    expect(broken.makeRoom('seller', limits).map(({ id }) => id)).toEqual(['0']);
    expect(looks).toBeLessThanOrEqual(2);
    looks = 0;
    expect(() => broken.makeRoom('seller', { unfinishedMax: 10, fileMax: 20 })).toThrow('no room');
    expect(looks).toBe(0);
  });

  it('counts what has changed as it is now, and nothing of what is hidden', () => {
    const view = viewOf(3, 'open');
    for (const id of ['0', '1', '2']) {
      const seen = view.byId(id);
      if (!seen) throw new Error('it is not there');
      view.change(seen, { state: 'waiting', size: 30 });
      if (id === '2') view.hide(seen);
      if (id === '2') view.change(seen, { size: 1_000 });
    }
    expect(view.makeRoom('seller', { unfinishedMax: 80, fileMax: 20 })).toEqual([]);
    expect(() => view.makeRoom('seller', { unfinishedMax: 79, fileMax: 20 })).toThrow('2 uploads are not finished');
  });
});
