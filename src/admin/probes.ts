// Probes: what a client would meet at the daemon's own listeners, asked from outside. For `dropgate health` and for /readyz.
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect } from 'node:net';
import type { Config } from '#runtime/config/config.ts';
import { type ListenerSettings, listenersOf } from '#runtime/config/listeners.ts';
import { isWithin, networksOf, plainAddress } from '#runtime/networks.ts';

const ANSWER_MS_MAX = 4_000;

export interface Probe {
  /** The part and its address, for sentences: `SFTP on 127.0.0.1:2222`. */
  readonly place: string;
  /** False for an answer that is not the part's; rejects when there is none. */
  ask(): Promise<boolean>;
}

/** Ports that a running daemon has got, where the configuration leaves them to the system. */
interface BoundPorts {
  readonly sftp: readonly number[] | null;
  readonly core: number | null;
}

/** A probe for each listener that the role has, the admin listener aside. */
export function probesOf({ role, sftp, core }: Pick<Config, 'role' | 'sftp' | 'core'>, bound?: BoundPorts): Probe[] {
  const gates = role === 'core' ? [] : listenersOf(sftp).map((each, at) => greetingProbe(each, bound?.sftp?.[at] ?? each.listen.port));
  return role === 'gateway' ? gates : [...gates, coreProbe(core, bound?.core)];
}

function greetingProbe({ listen, proxies }: ListenerSettings, port: number): Probe {
  return { place: `SFTP on ${listen.host}:${port}`, ask: () => isGreeted(reachable(listen.host), port, proxies) };
}

/** Resolves when the server names itself, as every SSH server does (RFC 4253 §4.2). */
function isGreeted(host: string, port: number, proxies: ListenerSettings['proxies']): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: ANSWER_MS_MAX });
    // The listener takes this process for a proxy where it believes one at the address that this connection comes from, which the kernel chooses.
    socket.once('connect', () => {
      if (isWithin(networksOf(proxies || []), plainAddress(socket.localAddress ?? ''))) socket.write('PROXY UNKNOWN\r\n');
    });
    socket.once('data', (bytes) => {
      socket.destroy();
      resolve(bytes.toString('latin1').startsWith('SSH-2.0-'));
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once('close', () => resolve(false));
  });
}

/** Null where there is none. */
export function adminProbe({ admin: { listen, tls } }: Pick<Config, 'admin'>): Probe | null {
  if (listen === null) return null;
  const where = { host: reachable(listen.host), port: listen.port, path: '/livez' };
  return { place: `the admin listener on ${listen.host}:${listen.port}`, ask: () => isHealthy(where, tls !== null) };
}

function coreProbe({ listen, tls }: Config['core'], bound: number | null | undefined): Probe {
  if ('socket' in listen)
    return { place: `the core on ${listen.socket}`, ask: () => isHealthy({ socketPath: listen.socket }, tls !== null) };
  const port = bound ?? listen.port;
  return { place: `the core on ${listen.host}:${port}`, ask: () => isHealthy({ host: reachable(listen.host), port }, tls !== null) };
}

type Where = ({ readonly socketPath: string } | { readonly host: string; readonly port: number }) & { readonly path?: string };

/** It is this machine's own listener, so the name in its certificate does not matter. */
function isHealthy(where: Where, isTls: boolean): Promise<boolean> {
  const options = { path: '/health', ...where, timeout: ANSWER_MS_MAX };
  return new Promise((resolve, reject) => {
    const request = isTls ? requestTls({ ...options, rejectUnauthorized: false }) : requestPlain(options);
    request.once('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', reject);
    request.end();
  });
}

/** An address that means 'all of them' is asked on loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
