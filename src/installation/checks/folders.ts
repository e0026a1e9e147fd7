// Folders: whether the daemon may write where it must, whether others may where they must not, and whether there is room.
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '#domain/error.ts';
import { OPEN, openHomes } from '#gateway/publish/make-homes.ts';
import { diskOf } from '#runtime/files/disk.ts';
import { type Check, type Finding, problem, type Site, warning, well } from './finding.ts';

const WRITABLE = constants.R_OK | constants.W_OK | constants.X_OK;
const MIB = 2 ** 20;
const NAMED_MAX = 5;

export const checkData: Check = async ({ config: { data, alarms } }) => {
  // What is not there yet is made by the first start, below what is there.
  const there = nearestThere(data);
  const found = writable(
    there,
    there === data ? `The data folder ${data}` : `The folder ${there}, in which ${data} is to be made,`,
    'data',
  );
  if (found.state !== 'well') return [found];
  const { free } = await diskOf(there);
  const room = `${Math.floor(free / MIB)} MiB are free where ${data} is`;
  if (free >= alarms.diskFree) return [found, well(`${room}.`)];
  const few = `Only ${room}, and alarms.diskFree wants ${Math.floor(alarms.diskFree / MIB)} MiB.`;
  return [found, warning(few, `Make room, for uploads fail on a full disk: du -sm ${data}/* says what takes it.`)];
};

export const checkHomes: Check = async ({ config: { role, data } }) => {
  const open = role === 'core' ? [] : openHomes(data);
  if (open.length === 0) return [];
  return [
    warning(`Others may write in ${open.length} of the homes themselves (${open.slice(0, NAMED_MAX).join(', ')}).`, `See that ${OPEN}.`),
  ];
};

/** What the core and an access point have in common. Of several cores any may ask what became of what another one has handed over. */
export const checkAccessPoint: Check = async ({ config: { role, node, core } }: Site) => {
  const { kind, accessPoint, folder } = core.network;
  if (role === 'gateway' || kind === 'local' || accessPoint === 'http' || folder === null) return [];
  const found = writable(folder, `The folder of the access point, ${folder},`, 'core.network.folder');
  if (node === null) return [found];
  return [
    found,
    warning(
      `Each core of this database works on ${folder} as it sees it itself.`,
      'See that all cores and the access point have one folder there, on a file system that all of them mount, or set core.network.accessPoint: http.',
    ),
  ];
};

function writable(folder: string, name: string, setting: string): Finding {
  try {
    accessSync(folder, WRITABLE);
    return well(`${name} can be written.`);
  } catch (error) {
    return problem(
      `${name} cannot be written (${messageOf(error)}).`,
      `Make it, give it to the user of the daemon, or name another one in ${setting}.`,
    );
  }
}

function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}
