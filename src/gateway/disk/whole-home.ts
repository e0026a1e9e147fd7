// Everything in a home, whatever programs have put there: walked by descriptors, so that no link leads elsewhere.
import { createReadStream, createWriteStream } from 'node:fs';
import { rmdir, unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Check, ensureFolder, removeDurable } from '#runtime/files/durable.ts';
import { ifThere } from '#runtime/files/held-folder.ts';
import { inFolder, type SafeFolder } from '#runtime/files/safe-folder.ts';
import { homeFolder, STAGING } from './paths.ts';

export function hasHome(data: string, home: string): boolean {
  return ifThere(homeFolder(data, home), [], () => true) ?? false;
}

/**
 * Copies its files, but for those on their way into it, and tells how many; links, and files with several names, are left out: what they lead to may be of
 * others.
 */
export async function copyHome(data: string, home: string, to: string, told: (files: number) => void): Promise<void> {
  let files = 0;
  if (hasHome(data, home)) await copyFolder(homeFolder(data, home), [], to, () => told(++files));
}

async function copyFolder(home: string, components: readonly string[], to: string, copied: () => void): Promise<void> {
  ensureFolder(to);
  await inFolder(home, components, async (at) => {
    for (const name of await at.list()) {
      if (components.length === 0 && name === STAGING) continue;
      if ((await at.look(name))?.isDirectory()) {
        await copyFolder(home, [...components, name], `${to}/${Buffer.from(name, 'latin1')}`, copied);
      } else if (await at.stat(name)) {
        await copyFile(at, name, Buffer.concat([Buffer.from(`${to}/`), Buffer.from(name, 'latin1')]));
        copied();
      }
    }
  });
}

/** Throws `missing`, and where the new file is there already. */
export async function copyFile(from: SafeFolder, name: string, to: string | Buffer): Promise<void> {
  const { descriptor } = await from.open(name);
  await pipeline(createReadStream('', { fd: descriptor }), createWriteStream(to, { flags: 'wx' }));
}

/** Removes it with everything in it, durably. */
export async function removeHome(data: string, home: string, check?: Check): Promise<void> {
  if (!hasHome(data, home)) return;
  const root = homeFolder(data, home);
  await emptyFolder(root, [], check);
  await removeDurable([root], check);
}

async function emptyFolder(home: string, components: readonly string[], check?: Check): Promise<void> {
  await inFolder(home, components, async (at) => {
    for (const name of await at.list()) {
      const isFolder = (await at.look(name))?.isDirectory();
      if (isFolder) await emptyFolder(home, [...components, name], check);
      check?.();
      await (isFolder ? rmdir : unlink)(at.path(name));
    }
  });
}
