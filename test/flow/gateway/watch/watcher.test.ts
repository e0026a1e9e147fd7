// Events that are lost, watches that are refused or die, folders that go and come back: nothing is missed, and it is told once.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { systemWatch, type WatchFolder } from '#gateway/watch/events.ts';
import { invoice } from '../../../support/documents.ts';
import { type DropStage, type DropStageOptions, startDropStage } from '../../../support/drop.ts';

const WHOLE = Buffer.from(invoice());
const MINUTE = 60_000;
/** Rounds that come too late for a test. */
const NO_ROUNDS = { rescan: 24 * 60 * MINUTE };

let stage: DropStage;
afterEach(() => stage[Symbol.asyncDispose]());
const begin = (options?: DropStageOptions): void => {
  stage = startDropStage(options);
};
const drop = (name: string, home?: string): void => writeFileSync(stage.inbox(name, home), WHOLE);
const isTaken = (name: string) => (): boolean => stage.taken.some((file) => file.name === name);

/** Hears nothing. */
const deaf: WatchFolder = () => ({ close: () => {} });

/** Lets the first visits end, so that what follows is news. */
async function attended(): Promise<void> {
  drop('first.xml');
  await stage.passing('the first take', isTaken('first.xml'));
  await stage.pass(20_000);
}

describe('a file is found', () => {
  test('by an event, without rounds', async () => {
    begin({ settings: NO_ROUNDS });
    await attended();
    drop('a.xml');
    await stage.passing('the take', isTaken('a.xml'));
  });

  test('by rounds, without an event', async () => {
    begin({ watchFolder: deaf });
    await attended();
    drop('a.xml');
    await stage.passing('the take', isTaken('a.xml'));
  });

  test('by neither when both are off: these tests would notice', async () => {
    begin({ watchFolder: deaf, settings: NO_ROUNDS });
    await attended();
    drop('a.xml');
    await stage.pass(5 * MINUTE);
    expect(isTaken('a.xml')()).toBe(false);
  });

  test('in polling mode, where nobody watches', async () => {
    let watches = 0;
    begin({
      settings: { watch: 'polling' },
      watchFolder(...of) {
        watches++;
        return systemWatch(...of);
      },
    });
    await attended();
    drop('a.xml');
    await stage.passing('the take', isTaken('a.xml'));
    expect(watches).toBe(0);
  });
});

describe('a watch', () => {
  test('that dies is told of once, and made again', async () => {
    const deaths: ((error: unknown) => void)[] = [];
    begin({
      settings: NO_ROUNDS,
      watchFolder(path, changed, died) {
        deaths.push(died);
        return systemWatch(path, changed, died);
      },
    });
    await attended();
    expect(deaths).toHaveLength(2);
    deaths[0]?.(new Error('the queue has overflowed'));
    await stage.pass(10_000);
    expect([deaths.length, stage.logged('watch.died')]).toEqual([3, 1]);
    drop('a.xml');
    await stage.passing('the take', isTaken('a.xml'));
  });

  test('that is refused for there are too many leaves the rounds; one warning for all, and later it is tried again', async () => {
    let isRefusing = true;
    let asked = 0;
    const homes = Array.from({ length: 50 }, (_, n) => `home-${n}`);
    begin({
      homes,
      watchFolder(...of) {
        asked++;
        if (isRefusing) throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' });
        return systemWatch(...of);
      },
    });
    await stage.pass(30_000);
    drop('a.xml', 'home-7');
    await stage.passing('the take', isTaken('a.xml'));
    expect([asked, stage.logged('watch.limit')]).toEqual([1, 1]);
    isRefusing = false;
    await stage.pass(25 * MINUTE);
    expect([asked, stage.logged('watch.limit')]).toEqual([101, 1]);
  });
});

describe('a folder', () => {
  test('that is removed is made again, watched again, and told of once', async () => {
    begin();
    await attended();
    rmSync(stage.inbox(), { recursive: true });
    await stage.passing('the folder', () => stage.logged('watch.made') > 0);
    await stage.pass(MINUTE);
    drop('a.xml');
    await stage.passing('the take', isTaken('a.xml'));
    writeFileSync(stage.inbox('overwrite/b.xml'), WHOLE);
    await stage.passing('the take', isTaken('b.xml'));
  });

  test('that is another one of the same name, as after a mount, is watched in the place of the first', async () => {
    let watches = 0;
    begin({
      settings: { rescan: 60_000 },
      watchFolder(...of) {
        watches++;
        return systemWatch(...of);
      },
    });
    await attended();
    renameSync(stage.inbox(), stage.inbox('../away'));
    mkdirSync(stage.inbox('overwrite'), { recursive: true });
    drop('a.xml');
    await stage.passing('the take', isTaken('a.xml'));
    await stage.passing('the new watches', () => watches === 4);
  });

  test('that cannot be used for a while is told of once, and healed', async () => {
    begin();
    await attended();
    rmSync(stage.inbox(), { recursive: true });
    writeFileSync(stage.inbox(), 'a file');
    await stage.pass(5 * MINUTE);
    // The inbox, and overwrite below it.
    expect(stage.logged('watch.failed')).toBe(2);
    rmSync(stage.inbox());
    mkdirSync(stage.inbox('overwrite'), { recursive: true });
    drop('a.xml');
    await stage.passing('the take', isTaken('a.xml'));
    await stage.passing('the healing', () => stage.logged('watch.healed') === 2);
  });

  test('of a home that comes later is watched, and that of one that goes is not', async () => {
    begin({ homes: ['old-ab'] });
    drop('a.xml', 'old-ab');
    await stage.passing('the take', isTaken('a.xml'));
    stage.serve(['new-ab']);
    drop('b.xml', 'old-ab');
    drop('c.xml', 'new-ab');
    await stage.passing('the take', isTaken('c.xml'));
    await stage.pass(12 * MINUTE);
    expect(isTaken('b.xml')()).toBe(false);
  });
});

test('a file of one home waits behind a few of each busy one, not behind all of them', async () => {
  const busy = Array.from({ length: 20 }, (_, n) => `busy-${n}`);
  begin({ homes: busy });
  for (const home of busy) for (let n = 0; n < 200; n++) drop(`${n}.xml`, home);
  stage.serve([...busy, 'other-ab']);
  drop('a.xml', 'other-ab');
  await stage.passing('the take', isTaken('a.xml'));
  expect(stage.taken.length).toBeLessThan(2_000);
});
