// A socket that listens already, passed by systemd (sd_listen_fds(3)): it is systemd's, and holds who connects while no daemon runs.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { isIP } from 'node:net';
import { AppError } from '#domain/error.ts';
import type { Address } from '#runtime/config/kinds.ts';
import { isLoopback, isWithin, networksOf } from '#runtime/networks.ts';

/** Listens on a passed socket; `setting` names the address that it must have. Throws `usage` when it has another, or is none. */
export async function listenOnPassed(listener: Server, descriptor: number, listen: Address, setting: string): Promise<void> {
  listener.listen({ fd: descriptor });
  const at = listener.address();
  if (listener.listening && !isAt(listen, at)) {
    listener.close();
    const there = typeof at === 'object' && at ? `${at.address}:${at.port}` : 'no TCP address';
    const wanted = 'host' in listen ? `${listen.host}:${listen.port}` : `unix:${listen.socket}`;
    const sentence = `systemd passes a socket on ${there}, and ${setting} is ${wanted}: write the same IP address and port there and in ListenStream= of dropgate.socket, or stop that.`;
    throw new AppError('usage', sentence);
  }
  try {
    await once(listener, 'listening');
  } catch (cause) {
    throw new AppError(
      'usage',
      `What systemd passes for ${setting} is no listening socket: dropgate.socket has ListenStream= and no Accept=.`,
      { cause },
    );
  }
}

/** Port 0 is any. A host by name could be any address, except for this machine's own. */
function isAt(listen: Address, at: ReturnType<Server['address']>): boolean {
  if (!('host' in listen) || at === null || typeof at === 'string') return false;
  if (listen.port !== 0 && listen.port !== at.port) return false;
  return isIP(listen.host) ? isWithin(networksOf([listen.host]), at.address) : isLoopback(listen.host) && isLoopback(at.address);
}
