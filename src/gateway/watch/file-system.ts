// Whether the file system of a folder is this machine's own, or shared with machines whose changes this system does not report.
import { lstatSync, type Stats } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { inFolderIfThere } from '#runtime/files/safe-folder.ts';
import type { Folder } from './folder.ts';

/** `f_type` in statfs(2) of file systems that are, or may be, on another machine. */
const SHARED: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2 and 3
  0x65735546, // FUSE: sshfs, GlusterFS, s3fs, …
  0x01021997, // 9P
  0x00c36400, // Ceph
  0x5346414f, // AFS
  0x0bd00bd0, // Lustre
  0x47504653, // GPFS
  0x786f4256, // VirtualBox
]);

/** Whether the folder is on a shared file system; asked once for each device. */
export function openFileSystems(): (path: Buffer, device: number) => Promise<boolean> {
  const known = new Map<number, boolean>();
  return async (path, device) => {
    const before = known.get(device);
    if (before !== undefined) return before;
    const shared = SHARED.has((await statfs(path)).type);
    known.set(device, shared);
    return shared;
  };
}

/** The folder's facts; null when it is not there. For shared file systems, which may take long to answer. */
export async function statElsewhere({ place: { root, components } }: Pick<Folder, 'place'>): Promise<Stats | null> {
  return inFolderIfThere(root, components, (at) => at.stats());
}

/**
 * The same of a folder and of another in it, at once, for this machine's own file systems. By two calls on paths, for it is what a gateway at rest does most:
 * should a link lead elsewhere, other facts are found, and the visit that follows goes by no link.
 */
export function statHere(outer: Pick<Folder, 'place'>, inner: Pick<Folder, 'place'>): Record<'outer' | 'inner', Stats | null> {
  const { root, components } = outer.place;
  const path = [root, ...components].join('/');
  const found = folderAt(path);
  return { outer: found, inner: found && folderAt(`${path}/${inner.place.components.at(-1)}`) };
}

function folderAt(path: string): Stats | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() ? found : null;
}
