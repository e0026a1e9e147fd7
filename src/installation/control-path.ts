// Where commands reach the daemon that runs on a data folder: a socket in it, for the owner alone.
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Config } from '#runtime/config/config.ts';
import { systemCode } from '#runtime/files/system-code.ts';

/** What the kernel takes as the address of a socket (sun_path, unix(7)), without the zero at its end. */
const PATH_BYTES_MAX = 107;

export type ControlPlace = Pick<Config, 'data' | 'node'>;

/** Undefined where the path is too long for a socket. Each node that shares a data folder has its own. */
export function controlPath({ data, node }: ControlPlace): string | undefined {
  const path = join(data, node === null ? 'control.sock' : `control-${node}.sock`);
  return Buffer.byteLength(path) > PATH_BYTES_MAX ? undefined : path;
}

/** Whether a daemon of this machine listens there, also one that hangs: to a socket on a shared file system no other machine's processes answer. */
export function isListenedTo(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(systemCode(error) ?? '')));
  });
}
