// Where commands reach the daemon that runs on a data folder: a socket in it, for the owner alone.
import { join } from 'node:path';
import type { Config } from '#runtime/config/config.ts';

/** What the kernel takes as the address of a socket (sun_path, unix(7)), without the zero at its end. */
const PATH_BYTES_MAX = 107;

export type ControlPlace = Pick<Config, 'data' | 'node'>;

/** Undefined where the path is too long for a socket. Each node that shares a data folder has its own. */
export function controlPath({ data, node }: ControlPlace): string | undefined {
  const path = join(data, node === null ? 'control.sock' : `control-${node}.sock`);
  return Buffer.byteLength(path) > PATH_BYTES_MAX ? undefined : path;
}

/** By this both know that they have the same operations. */
export const VERSION_HEADER = 'dropgate-version';

/** Who asks, percent-encoded: believed, for none but the owner of the folder, and root, reach the socket. */
export const CALLER_HEADER = 'dropgate-caller';

/** What the daemon answers, a line of JSON each: how far it is, and in the end the answer or why there is none. */
export interface ControlLine {
  readonly progress?: string;
  readonly answer?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}
