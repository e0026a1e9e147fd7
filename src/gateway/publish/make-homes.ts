// Makes the homes of all accounts, each once, and warns of homes in which others may write.
import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { inGroups } from '#domain/groups.ts';
import { ensureHome, homeFolder, STAGING } from '#gateway/disk/paths.ts';
import { BY_DESCRIPTOR, type HeldFolder, ifThere, isNotThere } from '#runtime/files/held-folder.ts';
import type { Log } from '#runtime/log.ts';

/** Homes that are made in one turn of the event loop: on a shared file system each takes a while, and a node's lease is renewed meanwhile. */
const AT_ONCE = 20;
/** Homes that a line names. */
const NAMED_MAX = 5;

interface HomeMakerParts {
  readonly data: string;
  readonly homes: () => readonly string[];
  readonly log: Log;
}

/** Warns of homes that are not as they should be, and returns a function that makes the homes that were added since its last call. */
export function homeMaker({ data, homes, log }: HomeMakerParts): () => Promise<void> {
  const made = new Set<string>();
  if (!BY_DESCRIPTOR) log.warn({ event: 'homes.unguarded', remedy: UNGUARDED });

  function make(home: string): void {
    try {
      ensureHome(data, home);
      made.add(home);
    } catch (error) {
      // The others are served. What is owed to this one stays owed.
      if (!isNotThere(error)) throw error;
      log.error({ event: 'home.blocked', home, err: error });
    }
  }

  return async () => {
    const fresh = homes().filter((home) => !made.has(home));
    const open: string[] = [];
    for (const some of inGroups(fresh, AT_ONCE)) {
      some.forEach(make);
      open.push(...openAmong(data, some));
      await turn();
    }
    if (open.length > 0) log.warn({ event: 'homes.open', homes: open.length, first: open.slice(0, NAMED_MAX), remedy: OPEN });
  };
}

const UNGUARDED =
  'this system has no /proc/self/fd, by which folders are held: let nobody write in the home folders themselves (docs/security.md)';
export const OPEN =
  'the home folder and .staged must belong to the daemon and be writable by nobody else; give rights on inbox, outbox, receipts, accepted and refused alone (docs/install.md)';

/** All homes on disk, those that are not served now as well, in whose own folder or `.staged` others may write. */
export function openHomes(data: string): string[] {
  const homes = join(data, 'homes');
  try {
    accessSync(homes, constants.R_OK | constants.X_OK);
  } catch {
    // There are none yet, or this user may not look.
    return [];
  }
  return openAmong(data, readdirSync(homes));
}

/** By owner and mode: the bits of the group are the most that an ACL grants. */
function openAmong(data: string, homes: readonly string[]): string[] {
  const { uid } = statSync(data);
  const isOpen = ({ stats }: HeldFolder): boolean => stats.uid !== uid || (stats.mode & 0o022) !== 0;
  return homes.filter((home) => [[], [STAGING]].some((components) => ifThere(homeFolder(data, home), components, isOpen)));
}
