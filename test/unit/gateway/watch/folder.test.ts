// When a folder must be listed, and when its time says that nothing came.
import { expect, it } from 'vitest';
import { Candidates } from '#gateway/watch/candidates.ts';
import { type Contents, type Folder, type Listing, listingOf, mustList } from '#gateway/watch/folder.ts';

const FOLDER = { dev: 1, ino: 2, mtimeMs: 500_000 };
const AT = 1_000_000;
/** Listed at these times, always with the same time of its last change. */
function listed(...at: number[]): Pick<Folder, 'listing' | 'shared' | 'contents'> {
  return { listing: at.reduce<Listing | null>((before, ms) => listingOf(before, FOLDER, AT + ms), null), shared: false, contents: null };
}

it('a folder that was never listed is', () => {
  expect(mustList(listed(), FOLDER, AT)).toBe(true);
});

it('so soon after its time has moved the listing is made once more, for the grain of that time may hide a second change', () => {
  expect(mustList(listed(0), FOLDER, AT + 4_000)).toBe(true);
  expect(mustList(listed(0, 4_000), FOLDER, AT + 8_000)).toBe(true);
  expect(mustList(listed(0, 5_000), FOLDER, AT + 8_000)).toBe(false);
});

it('a folder whose time has moved, or that is another one, is listed', () => {
  const quiet = listed(0, 10_000);
  expect(mustList(quiet, { ...FOLDER, mtimeMs: 500_001 }, AT + 20_000)).toBe(true);
  expect(mustList(quiet, { ...FOLDER, ino: 3 }, AT + 20_000)).toBe(true);
  expect(mustList(quiet, { ...FOLDER, dev: 3 }, AT + 20_000)).toBe(true);
});

const CONTENTS: Contents = {
  candidates: new Candidates({ total: 0 }),
  left: [],
  carried: [],
  awaited: new Map(),
  undone: new Map(),
  told: new Set(),
};

it.each([
  { what: 'ten minutes, on another machine,', shared: true, contents: null, afterMs: 600_000 },
  { what: 'ten minutes, when something waits in it,', shared: false, contents: CONTENTS, afterMs: 600_000 },
  { what: 'an hour, when it is empty and on this machine,', shared: false, contents: null, afterMs: 3_600_000 },
])('after $what it is listed whatever its time says, and so it is when the clock was set back', ({ shared, contents, afterMs }) => {
  const quiet = { ...listed(0, 10_000), shared, contents };
  expect(mustList(quiet, FOLDER, AT + 9_000 + afterMs)).toBe(false);
  expect(mustList(quiet, FOLDER, AT + 10_000 + afterMs)).toBe(true);
  expect(mustList(quiet, FOLDER, AT - 3_600_000)).toBe(true);
});
