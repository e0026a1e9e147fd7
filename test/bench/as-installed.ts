// How the unit starts the daemon, as far as that can be had without systemd: its scheduling policy, and what it sets in the environment.
import { readFileSync } from 'node:fs';
import { have } from '../support/sftp-clients.ts';

const UNIT = new URL('../../systemd/dropgate.service', import.meta.url);

/** For `startDaemon`. */
export const AS_INSTALLED = {
  /** Empty where chrt (util-linux) is not installed. */
  under: have('chrt') ? ['chrt', '--batch', '0'] : [],
  env: Object.fromEntries(
    [...readFileSync(UNIT, 'utf8').matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  ),
};
