// Which folder it is, whatever its path is, also after it was renamed.
import { statSync } from 'node:fs';

/**
 * That of a copy is another one, unless a whole volume was copied with it. Without the number of the device, which may be another one after each start of
 * the machine.
 */
export function folderIdentity(folder: string): string {
  const { ino, birthtimeNs } = statSync(folder, { bigint: true });
  return `${ino} ${birthtimeNs}`;
}
