// Which folder is visited when.
import { describe, expect, it } from 'vitest';
import { VisitTimes } from '#gateway/watch/visit-times.ts';
import { manualClock } from '../../../support/clock.ts';

const turn = (): Promise<void> => new Promise((go) => setImmediate(go));

/** Visit times whose visits last until they are ended by hand. */
function stage(visitsMax: number) {
  const clock = manualClock(0);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const times = new VisitTimes<string>(clock, visitsMax, (key) => {
    begun.push(key);
    return new Promise((end) => ends.set(key, end));
  });
  return { clock, begun, times, end: (key: string) => ends.get(key)?.() };
}

describe('the times of visits', () => {
  it('keeps the earliest time asked for', () => {
    const { clock, begun, times } = stage(8);
    times.at('a', 500);
    times.at('a', 100);
    times.at('a', 900);
    clock.advance(99);
    expect(begun).toEqual([]);
    clock.advance(1);
    expect(begun).toEqual(['a']);
  });

  it('visits a folder by one at a time, and again when that was asked for meanwhile', async () => {
    const { clock, begun, times, end } = stage(8);
    times.at('a', 0);
    clock.advance(0);
    times.at('a', 0);
    clock.advance(1_000);
    expect(begun).toEqual(['a']);
    end('a');
    await turn();
    expect(begun).toEqual(['a', 'a']);
  });

  it('visits only so many at once, and a busy one stands behind the others again', async () => {
    const { clock, begun, times, end } = stage(1);
    times.at('busy', 0);
    clock.advance(0);
    times.at('other', 0);
    times.at('busy', 0);
    end('busy');
    await turn();
    expect(begun).toEqual(['busy', 'other']);
    end('other');
    await turn();
    expect(begun).toEqual(['busy', 'other', 'busy']);
  });

  it('forgets who was struck, and closes when the last visit has ended', async () => {
    const { clock, begun, times, end } = stage(8);
    times.at('a', 0);
    clock.advance(0);
    times.at('b', 0);
    times.remove('b');
    let closed = false;
    const closing = times.close().then(() => (closed = true));
    clock.advance(1_000);
    await turn();
    expect([begun, closed]).toEqual([['a'], false]);
    end('a');
    await closing;
  });
});
