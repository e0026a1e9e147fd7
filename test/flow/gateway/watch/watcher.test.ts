// Reports that are lost, watches that are refused or fail, folders that go and come back: no file is missed, and each trouble is logged once.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { HomesInHand } from '#gateway/model/homes.ts';
import { systemWatch, type WatchFolder } from '#gateway/watch/hot-folders.ts';
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
  it('by an event, without rounds', async () => {
    begin({ settings: NO_ROUNDS });
    await attended();
    drop('a.xml');
    await stage.passing('the take', isTaken('a.xml'));
  });

  it('by rounds, without an event', async () => {
    begin({ watchFolder: deaf });
    await attended();
    drop('a.xml');
    await stage.passing('the take', isTaken('a.xml'));
  });

  it('by neither when both are off: these tests would notice', async () => {
    begin({ watchFolder: deaf, settings: NO_ROUNDS });
    await attended();
    drop('a.xml');
    await stage.pass(5 * MINUTE);
    expect(isTaken('a.xml')()).toBe(false);
  });

  it('in polling mode, without watches', async () => {
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

/** Counts what is to be done for homes. */
class Asked extends HomesInHand {
  times = 0;

  override run<Result>(home: string, work: () => Promise<Result>): Promise<Result | undefined> {
    this.times++;
    return super.run(home, work);
  }
}

it('an inbox that another process has in hand is left alone until it is in hand here', async () => {
  const inHand = new Asked();
  await inHand.giveUp('acme-ab');
  begin({ inHand });
  await stage.pass(20_000);
  const { times } = inHand;
  drop('a.xml');
  await stage.pass(2 * MINUTE);
  expect([inHand.times, isTaken('a.xml')()]).toEqual([times, false]);
  inHand.take('acme-ab');
  await stage.passing('the take', isTaken('a.xml'));
});

describe('a watch', () => {
  it('that fails is logged once, and made again', async () => {
    const failures: ((error: unknown) => void)[] = [];
    begin({
      settings: NO_ROUNDS,
      watchFolder(path, changed, failed) {
        failures.push(failed);
        return systemWatch(path, changed, failed);
      },
    });
    await attended();
    expect(failures).toHaveLength(2);
    failures[0]?.(new Error('the queue has overflowed'));
    await stage.pass(10_000);
    expect([failures.length, stage.logged('watch.lost')]).toEqual([3, 1]);
    drop('a.xml');
    await stage.passing('the take', isTaken('a.xml'));
  });

  it('that the system has no room for leaves the rounds; one warning for all, and later it is tried again', async () => {
    let isRefusing = true;
    let asked = 0;
    const homes = Array.from({ length: 50 }, (_, n) => `home-${n}`);
    begin({
      homes,
      watchFolder(path, changed, failed) {
        asked++;
        if (!isRefusing) return systemWatch(path, changed, failed);
        const error = Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' });
        queueMicrotask(() => failed(error));
        return { close: () => {} };
      },
    });
    await stage.pass(30_000);
    drop('a.xml', 'home-7');
    await stage.passing('the take', isTaken('a.xml'));
    expect([asked, stage.logged('watch.limit')]).toEqual([1, 1]);
    isRefusing = false;
    await stage.pass(65 * MINUTE);
    expect([asked, stage.logged('watch.limit')]).toEqual([101, 1]);
  });
});

describe('of many folders', () => {
  const homes = Array.from({ length: 10 }, (_, n) => `home-${n}`);
  const inboxOf = (path: string): string => path.split('/').slice(-2).join('/');

  /** At most three watches; `open`: the inboxes that are watched, the one that was watched last comes last. */
  function beginFew(settings: DropStageOptions['settings'] = {}): { open: string[]; most: () => number } {
    const open: string[] = [];
    let most = 0;
    begin({
      homes,
      settings: { watched: 3, ...settings },
      watchFolder(path, changed, failed) {
        open.push(inboxOf(path));
        most = Math.max(most, open.length);
        const watch = systemWatch(path, changed, failed);
        return {
          close() {
            open.splice(open.indexOf(inboxOf(path)), 1);
            watch.close();
          },
        };
      },
    });
    return { open, most: () => most };
  }

  it('those that were used last are watched, so many and no more; the others are looked at in rounds', async () => {
    const { open, most } = beginFew();
    await stage.pass(30_000);
    expect(open).toHaveLength(3);
    for (const home of ['home-7', 'home-8', 'home-9', 'home-7', 'home-6']) {
      drop(`${home}-${stage.taken.length}.xml`, home);
      const before = stage.taken.length;
      await stage.passing('the take', () => stage.taken.length > before);
      await stage.pass(20_000);
    }
    expect([open.toSorted(), most()]).toEqual([['home-6/inbox', 'home-7/inbox', 'home-9/inbox'], 3]);
  });

  it('one that was found in a round is heard of at once from then on', async () => {
    beginFew({ rescan: 20 * MINUTE });
    await stage.pass(30_000);
    drop('a.xml', 'home-9');
    await stage.passing('the take', isTaken('a.xml'));
    await stage.pass(30_000);
    const atMs = stage.clock.now();
    drop('b.xml', 'home-9');
    await stage.passing('the take', isTaken('b.xml'));
    expect(stage.clock.now() - atMs).toBeLessThan(10 * MINUTE);
  });

  it('none is watched where no watches are allowed', async () => {
    const { most } = beginFew({ watched: 0 });
    drop('a.xml', 'home-9');
    await stage.passing('the take', isTaken('a.xml'));
    expect(most()).toBe(0);
  });
});

describe('a folder', () => {
  it('that is removed is made again, watched again, and logged once', async () => {
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

  it('that is another one of the same name, as after a mount, is watched in the place of the first', async () => {
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

  it('that cannot be used for a while is logged once, and again when it can', async () => {
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
    await stage.passing('the recovery', () => stage.logged('watch.recovered') === 2);
  });

  it('of a home that comes later is watched, and that of one that goes is not', async () => {
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

it('a file of one home waits behind a few of each busy one, not behind all of them', async () => {
  const busy = Array.from({ length: 20 }, (_, n) => `busy-${n}`);
  begin({ homes: busy });
  for (const home of busy) for (let n = 0; n < 200; n++) drop(`${n}.xml`, home);
  stage.serve([...busy, 'other-ab']);
  drop('a.xml', 'other-ab');
  await stage.passing('the take', isTaken('a.xml'));
  expect(stage.taken.length).toBeLessThan(2_000);
});
