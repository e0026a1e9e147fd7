// How many files and bytes a home has: in its folders, in the spool, and on their way in.
import { lstat } from 'node:fs/promises';
import { homeFolder, spoolFolder } from '#gateway/disk/paths.ts';
import { readReceivingOf } from '#gateway/disk/spool-files.ts';
import { ANSWER_FOLDER, ORDER_ANSWERS } from '#gateway/model/order-answer.ts';
import { HOME_FOLDERS } from '#gateway/model/rule-words.ts';
import { forEachLimit } from '#runtime/concurrency.ts';
import { inFolder, inFolderIfThere, type SafeFolder } from '#runtime/files/safe-folder.ts';

export interface Usage {
  readonly files: number;
  readonly bytes: number;
}

export const NOTHING: Usage = { files: 0, bytes: 0 };

/** Files whose size is asked for at a time. */
const AT_ONCE = 32;

/** Reads all of it but the uploads that `isOpen` names; files that go meanwhile are left out. */
export async function measureHome(data: string, name: string, isOpen: (upload: string) => boolean): Promise<Usage> {
  const root = homeFolder(data, name);
  const answers = await Promise.all(ORDER_ANSWERS.map((answer) => withReasons(root, [ANSWER_FOLDER, answer])));
  const folders = [...HOME_FOLDERS.map((folder) => [folder]), ['inbox', 'overwrite'], ...answers.flat()];
  const arriving = (await readReceivingOf(data, name)).filter((file) => !isOpen(file.upload));
  let usage = await sizesOf(arriving.map(({ path }) => path));
  // A missing folder holds nothing, and a link in its place holds nothing of this home.
  for (const components of folders) usage = plus(usage, (await inFolderIfThere(root, components, sizesIn)) ?? NOTHING);
  return plus(usage, await inFolder(spoolFolder(data, name), [], sizesIn));
}

/** The folder of an answer, and those that were made in it for reasons. */
async function withReasons(root: string, answer: readonly string[]): Promise<(readonly string[])[]> {
  const reasons = (await inFolderIfThere(root, answer, foldersIn)) ?? [];
  return [answer, ...reasons.map((reason) => [...answer, reason])];
}

async function foldersIn(folder: SafeFolder): Promise<string[]> {
  const names = await folder.list();
  const looks = await Promise.all(names.map((name) => folder.look(name)));
  return names.filter((_, at) => looks[at]?.isDirectory());
}

async function sizesIn(folder: SafeFolder): Promise<Usage> {
  return sizesOf((await folder.list()).map((name) => folder.path(name)));
}

async function sizesOf(paths: readonly (string | Buffer)[]): Promise<Usage> {
  let usage = NOTHING;
  await forEachLimit(paths, AT_ONCE, async (path) => {
    const stat = await lstat(path).catch(() => undefined);
    if (stat?.isFile()) usage = plus(usage, { files: 1, bytes: stat.size });
  });
  return usage;
}

function plus(one: Usage, other: Usage): Usage {
  return { files: one.files + other.files, bytes: one.bytes + other.bytes };
}
