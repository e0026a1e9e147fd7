// Files that programs write into an inbox, each in its own way: taken when they are complete, and not before.
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { HomesInHand } from '#gateway/model/homes.ts';
import { invoice } from '../../../support/documents.ts';
import { type DropStage, type DropStageOptions, startDropStage } from '../../../support/drop.ts';

const WHOLE = Buffer.from(invoice());
const HALF = WHOLE.subarray(0, 700);
const MINUTE = 60_000;
/** Whoever had to settle would not be taken in a test. */
const NEVER_SETTLES = { settle: 24 * 60 * MINUTE };

let stage: DropStage;
afterEach(() => stage[Symbol.asyncDispose]());
const begin = (options?: DropStageOptions): void => {
  stage = startDropStage(options);
};
/** Renamed in when it had been written a while ago: within one tick of the kernel's clock a rename cannot be told from the write. */
function renameIn(name: string, bytes: Uint8Array | string): void {
  writeFileSync(stage.inbox(`${name}.tmp`), bytes);
  utimesSync(stage.inbox(`${name}.tmp`), 1, 1);
  renameSync(stage.inbox(`${name}.tmp`), stage.inbox(name));
}
const names = (): string[] => stage.taken.map(({ name }) => name);
const startedAt = Date.parse('2026-11-21T10:00:00Z');
const passedMs = (): number => stage.clock.now() - startedAt;

describe('a file that is renamed in', () => {
  it('is taken at once, without settling', async () => {
    begin({ settings: NEVER_SETTLES });
    renameIn('a.xml', WHOLE);
    await stage.passing('the take', () => names().includes('a.xml'));
  });

  it('and is only half a document waits for the rest', async () => {
    begin();
    renameIn('a.xml', HALF);
    await stage.pass(MINUTE);
    expect(names()).toEqual([]);
    appendFileSync(stage.inbox('a.xml'), WHOLE.subarray(HALF.length));
    await stage.passing('the take', () => names().includes('a.xml'));
  });

  it('and cannot be read as a document must settle like any other, for it may be rewritten in place', async () => {
    begin();
    renameIn('a.xml', 'no document');
    await stage.passing('the take', () => names().includes('a.xml'));
    expect(passedMs()).toBeGreaterThanOrEqual(5_000);
  });

  it('is known by nothing on a shared file system, and settles there', async () => {
    begin({ settings: { watch: 'polling' } });
    renameIn('a.xml', WHOLE);
    await stage.passing('the take', () => names().includes('a.xml'));
    expect(passedMs()).toBeGreaterThanOrEqual(5_000);
  });
});

describe('a writer', () => {
  it('that writes the file under its real name is waited for until it has settled', async () => {
    begin();
    writeFileSync(stage.inbox('a.xml'), WHOLE);
    await stage.passing('the take', () => names().includes('a.xml'));
    expect(passedMs()).toBeGreaterThanOrEqual(5_000);
  });

  it('that pauses longer than settle in the middle of a document gets ten minutes from its last write', async () => {
    begin();
    const descriptor = openSync(stage.inbox('slow.xml'), 'w');
    const third = Math.floor(WHOLE.length / 3);
    writeSync(descriptor, WHOLE.subarray(0, third));
    await stage.pass(9 * MINUTE);
    writeSync(descriptor, WHOLE.subarray(third, 2 * third));
    await stage.pass(9 * MINUTE);
    expect(names()).toEqual([]);
    writeSync(descriptor, WHOLE.subarray(2 * third));
    closeSync(descriptor);
    await stage.passing('the take', () => names().includes('slow.xml'));
  });

  it('that sets the size first, and fills it in from the end, is waited for', async () => {
    begin();
    const descriptor = openSync(stage.inbox('sparse.xml'), 'w');
    ftruncateSync(descriptor, WHOLE.length);
    await stage.pass(MINUTE);
    writeSync(descriptor, WHOLE, 1_000, WHOLE.length - 1_000, 1_000);
    await stage.pass(MINUTE);
    writeSync(descriptor, WHOLE, 0, 500, 0);
    await stage.pass(MINUTE);
    expect(names()).toEqual([]);
    writeSync(descriptor, WHOLE, 500, 500, 500);
    closeSync(descriptor);
    await stage.passing('the take', () => names().includes('sparse.xml'));
  });

  it('that set aside more than it writes, and never cuts it off, is given up after ten minutes: the file is taken, and gets its receipt', async () => {
    begin();
    writeFileSync(stage.inbox('padded.xml'), Buffer.concat([WHOLE, Buffer.alloc(4_096)]));
    await stage.passing('the take', () => names().includes('padded.xml'));
    expect(passedMs()).toBeGreaterThanOrEqual(10 * MINUTE);
  });

  it('is told of once, however often it writes a little more', async () => {
    begin();
    writeFileSync(stage.inbox('half.xml'), HALF);
    for (let n = 0; n < 10; n++) {
      await stage.pass(30_000);
      appendFileSync(stage.inbox('half.xml'), ' ');
    }
    expect(stage.logged('watch.incomplete')).toBe(1);
  });

  it('that is seen at work while its file is being taken starts the settling anew', async () => {
    let disturbances = 2;
    const times: number[] = [];
    begin({
      beforeTake(_, path) {
        times.push(stage.clock.now());
        if (disturbances-- <= 0) return;
        appendFileSync(path, ' ');
        // What was taken is given back by a rename.
        utimesSync(path, 1, disturbances);
        renameSync(path, stage.inbox('../away'));
        renameSync(stage.inbox('../away'), path);
        throw new AppError('in-flight', 'still being written');
      },
    });
    renameIn('a.xml', WHOLE);
    await stage.passing('the take', () => names().includes('a.xml'));
    const [first = 0, second = 0, third = 0] = times;
    expect([second - first >= 5_000, third - second >= 5_000, times.length]).toEqual([true, true, 3]);
  });

  it('that is replaced by a new file of the same size and time is noticed by the inode', async () => {
    begin();
    writeFileSync(stage.inbox('a.xml'), WHOLE);
    utimesSync(stage.inbox('a.xml'), 1, 1);
    chmodSync(stage.inbox('a.xml'), 0o600);
    writeFileSync(stage.inbox('b.tmp'), WHOLE);
    utimesSync(stage.inbox('b.tmp'), 1, 1);
    renameSync(stage.inbox('b.tmp'), stage.inbox('a.xml'));
    await stage.passing('the take', () => names().includes('a.xml'));
    expect(stage.taken).toHaveLength(1);
  });
});

describe('where an account asks for done-files', () => {
  it('a document waits for its own, however long it has settled; then it is taken at once, and the done-file goes with it', async () => {
    begin({ doneFile: '.done', settings: NEVER_SETTLES });
    writeFileSync(stage.inbox('a.xml'), WHOLE);
    writeFileSync(stage.inbox('b.xml'), WHOLE);
    await stage.pass(2 * MINUTE);
    expect(names()).toEqual([]);
    writeFileSync(stage.inbox('a.xml.done'), '');
    await stage.passing('the take', () => names().length > 0 && !existsSync(stage.inbox('a.xml.done')));
    expect(names()).toEqual(['a.xml']);
    expect(existsSync(stage.inbox('b.xml'))).toBe(true);
  });

  it('a document that is said to be complete is taken as it is', async () => {
    begin({ doneFile: '.done', settings: NEVER_SETTLES });
    writeFileSync(stage.inbox('half.xml'), HALF);
    writeFileSync(stage.inbox('half.xml.done'), '');
    await stage.passing('the take', () => names().includes('half.xml'));
  });

  it('one without a document raises no error, and stays', async () => {
    begin({ doneFile: '.done' });
    writeFileSync(stage.inbox('early.xml.done'), '');
    await stage.pass(20 * MINUTE);
    expect([names(), stage.log]).toEqual([[], []]);
    expect(readdirSync(stage.inbox())).toContain('early.xml.done');
  });

  it('one that an earlier document left behind does not speak for the next of its name', async () => {
    begin({ doneFile: '.done' });
    writeFileSync(stage.inbox('a.xml.done'), '');
    await new Promise((turn) => setTimeout(turn, 20));
    writeFileSync(stage.inbox('a.xml'), HALF);
    await stage.pass(MINUTE);
    expect(names()).toEqual([]);
    writeFileSync(stage.inbox('a.xml'), WHOLE);
    writeFileSync(stage.inbox('a.xml.done'), '');
    await stage.passing('the take', () => names().includes('a.xml'));
  });

  it('one with another ending speaks for all documents of its name, and goes with the last of them', async () => {
    begin({ doneFile: '*.ok' });
    for (const name of ['a.xml', 'a.json', 'b.xml']) writeFileSync(stage.inbox(name), WHOLE);
    writeFileSync(stage.inbox('a.ok'), '');
    await stage.passing('the takes', () => names().length === 2 && !existsSync(stage.inbox('a.ok')));
    expect(names().sort()).toEqual(['a.json', 'a.xml']);
  });

  it('a done-file stays where the home was lost while its document was taken: it may be that of the next one', async () => {
    const lost = (): void => {
      if (names().length > 0) throw new AppError('locked', 'This node has lost its homes.');
    };
    begin({ doneFile: '.done', settings: NEVER_SETTLES, inHand: new HomesInHand(undefined, lost) });
    renameIn('a.xml', WHOLE);
    writeFileSync(stage.inbox('a.xml.done'), '');
    await stage.passing('it to be told', () => stage.logged('watch.done-file-left') > 0);
    expect([names(), existsSync(stage.inbox('a.xml.done'))]).toEqual([['a.xml'], true]);
  });

  it('a document whose done-file does not come is told of, once', async () => {
    begin({ doneFile: '.done' });
    writeFileSync(stage.inbox('a.xml'), WHOLE);
    await stage.pass(22 * MINUTE);
    expect(stage.logged('watch.no-done-file')).toBe(1);
  });

  it('and no longer does, what waits is taken', async () => {
    begin({ doneFile: '.done' });
    writeFileSync(stage.inbox('a.xml'), WHOLE);
    await stage.pass(MINUTE);
    stage.serve(['acme-ab'], null);
    await stage.passing('the take', () => names().includes('a.xml'));
  });
});
