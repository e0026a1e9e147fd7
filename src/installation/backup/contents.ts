// What of a data folder belongs into a backup, in the order in which it is read while a daemon works. An upload moves from receiving to the spool, a file from
// inbox to spool, from spool to accepted or refused, from staged to outbox, and an order from there to answer, and to accepted or refused: where each is read
// before what comes after it, a file that moves meanwhile is read once or twice, and never not at all. Nodes bring uploads to each other in any direction, so
// receiving is read twice. The ledgers come before all of that (ledgers.ts), so that what has happened since is found beside them.
import { STAGING } from '#gateway/disk/paths.ts';
import { ANSWER_FOLDER } from '#gateway/model/order-answer.ts';
import { openPlain } from '#runtime/files/durable.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { Item } from './entries.ts';

/** Folders below the data folder; a restore takes these and no others, and the ledgers. */
export const ROOTS = ['keys', 'staged', 'homes', 'spool', 'archive', 'audit', 'alarms'] as const;

/** Folders of homes that are read before the spool. */
const EARLY: readonly string[] = [STAGING, 'outbox', ANSWER_FOLDER, 'inbox'];

interface Step {
  readonly root: (typeof ROOTS)[number];
  /** Whether a folder or a file, by its components, is read now. */
  readonly isNow: (components: readonly string[]) => boolean;
}

const RECEIVING: Step = { root: 'spool', isNow: ([, folder = 'receiving']) => folder === 'receiving' };

const STEPS: readonly Step[] = [
  { root: 'keys', isNow: () => true },
  { root: 'staged', isNow: () => true },
  ...EARLY.map((early): Step => ({ root: 'homes', isNow: ([, , folder = early]) => folder === early })),
  RECEIVING,
  // What was brought meanwhile to a folder that had been read is there, or comes next.
  RECEIVING,
  { root: 'spool', isNow: ([, folder]) => folder !== 'receiving' },
  { root: 'homes', isNow: ([, , folder = '']) => !EARLY.includes(folder) },
  { root: 'archive', isNow: () => true },
  { root: 'audit', isNow: () => true },
  { root: 'alarms', isNow: () => true },
];

/** `leftOut` hears of what is neither file nor folder, and of what this user may not read. What goes away meanwhile is not in it. */
export async function* contentsOf(data: string, leftOut: (path: string) => void): AsyncGenerator<Item> {
  const received = new Set<string>();
  for (const step of STEPS) {
    const isNow: Step['isNow'] = (components) => step.isNow(components) && !received.has(components.join('/'));
    for await (const item of walk(data, [step.root], isNow, leftOut)) {
      if (step === RECEIVING && item.kind === 'file') received.add(item.path);
      yield item;
    }
  }
}

async function* walk(
  data: string,
  components: readonly string[],
  isNow: Step['isNow'],
  leftOut: (path: string) => void,
): AsyncGenerator<Item> {
  const path = components.join('/');
  const found = await unlessGone(path, leftOut, () =>
    inFolder(data, components, async (folder) => {
      const { mode } = await folder.stats();
      const names = (await folder.list()).sort();
      const looks = await Promise.all(names.map(async (name) => ({ name, stats: await folder.look(name) })));
      return { mode, looks };
    }),
  );
  if (!found) return;
  yield { kind: 'folder', path, mode: found.mode & 0o777 };
  for (const { name, stats } of found.looks) {
    if (!stats || !isNow([...components, name])) continue;
    if (stats.isDirectory()) yield* walk(data, [...components, name], isNow, leftOut);
    else if (stats.isFile()) yield* fileIn(data, components, name, leftOut);
    else leftOut(`${path}/${name}`);
  }
}

async function* fileIn(data: string, components: readonly string[], name: string, leftOut: (path: string) => void): AsyncGenerator<Item> {
  const path = [...components, name].join('/');
  const file = await unlessGone(path, leftOut, () => inFolder(data, components, (folder) => openPlain(folder.path(name))));
  if (!file) return;
  try {
    const { size, mode, mtimeMs } = await file.stat();
    yield { kind: 'file', path, mode: mode & 0o777, mtimeMs, size, content: exactly(file.createReadStream({ autoClose: false }), size) };
  } finally {
    await file.close();
  }
}

/** A file may grow or shrink while it is read: it is then one that somebody was still writing. */
async function* exactly(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let left = size;
  for await (const bytes of source) {
    if (left === 0) return;
    const some = bytes.subarray(0, left);
    left -= some.length;
    yield some;
  }
  if (left > 0) yield Buffer.alloc(left);
}

async function unlessGone<Result>(path: string, leftOut: (path: string) => void, work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!['missing', 'ENOENT'].includes(systemCode(error) ?? '')) leftOut(path);
    return undefined;
  }
}
