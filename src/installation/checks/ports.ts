// Ports: whether each listener may have its address. Where a daemon runs they are its own, and it is asked whether it answers there.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer, type ListenOptions } from 'node:net';
import { dirname } from 'node:path';
import { adminProbe, probesOf } from '#admin/probes.ts';
import { messageOf } from '#domain/error.ts';
import { isAmong } from '#runtime/config/config.ts';
import type { Address } from '#runtime/config/kinds.ts';
import { listenersOf } from '#runtime/config/listeners.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import { type Check, type Finding, problem, type Site, warning, well } from './finding.ts';

interface Wanted {
  readonly setting: string;
  readonly listen: Address;
}

export const checkPorts: Check = async (site) => (site.isRunning ? askAll(site) : Promise.all(wantedBy(site).map(tryPort)));

/** Where the file is wrong nobody knows which address is meant. */
function wantedBy(site: Site): Wanted[] {
  return allWantedBy(site).filter(({ setting }) => !isAmong(setting.split(' ', 1).join(''), site.doubtful));
}

function allWantedBy({ config: { role, sftp, core, hints, admin } }: Site): Wanted[] {
  const gates = listenersOf(sftp).map(({ listen }, at) => ({
    setting: at === 0 ? 'sftp.listen' : `sftp.moreListeners (number ${at})`,
    listen,
  }));
  return [
    ...(role === 'core' ? [] : gates),
    ...(role === 'gateway' ? [] : [{ setting: 'core.listen', listen: core.listen }]),
    ...(role === 'gateway' && hints.listen ? [{ setting: 'hints.listen', listen: hints.listen }] : []),
    ...(admin.listen ? [{ setting: 'admin.listen', listen: admin.listen }] : []),
  ];
}

async function tryPort({ setting, listen }: Wanted): Promise<Finding> {
  if ('socket' in listen) return trySocket(setting, listen.socket);
  const where = `${listen.host}:${listen.port}`;
  try {
    await listenOnce(listen);
    return well(`${where} is free for ${setting}.`);
  } catch (error) {
    if (systemCode(error) !== 'EADDRINUSE')
      return problem(`Nobody can listen on ${where} (${messageOf(error)}).`, REMEDIES[systemCode(error) ?? ''] ?? `Change ${setting}.`);
    const sentence = `Another program listens on ${where} already.`;
    // systemd holds it while no daemon runs.
    return setting === 'core.listen'
      ? warning(sentence, `Where that is not dropgate.socket of systemd, stop it, or change ${setting}.`)
      : problem(sentence, `Stop it, or change ${setting}.`);
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'Ports below 1024 need AmbientCapabilities=CAP_NET_BIND_SERVICE in the unit, or a proxy in front: name another port.',
};

async function trySocket(setting: string, path: string): Promise<Finding> {
  try {
    await access(dirname(path), constants.W_OK | constants.X_OK);
    return well(`The folder of the socket ${path} can be written.`);
  } catch (error) {
    return problem(
      `The socket ${path} cannot be made (${messageOf(error)}).`,
      `Make its folder for the user of the daemon, or change ${setting}.`,
    );
  }
}

function listenOnce(listen: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ ...listen, exclusive: true }, () => server.close(() => resolve()));
  });
}

/** Addresses that were left to the system cannot be asked from here. */
async function askAll({ config, doubtful }: Site): Promise<Finding[]> {
  if (['sftp', 'core', 'admin'].some((name) => isAmong(name, doubtful))) return [];
  const admin = adminProbe(config);
  const probes = [...probesOf(config), ...(admin ? [admin] : [])].filter(({ place }) => !place.endsWith(':0'));
  return Promise.all(
    probes.map(async ({ place, ask }) => {
      const reason = await ask().then((isWell) => (isWell ? null : 'another answer than it gives'), messageOf);
      if (reason === null) return well(`The daemon answers: ${place}.`);
      return problem(`The daemon does not answer: ${place} (${reason}).`, restartIt(config.node));
    }),
  );
}

function restartIt(node: string | null): string {
  const restart = 'Look into its log, and restart it: systemctl restart dropgate.';
  return node === null ? restart : `${restart} Where the node ${node} that runs is another one, give this one another name (node).`;
}
