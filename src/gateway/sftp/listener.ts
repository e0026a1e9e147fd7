// One address that the SFTP server listens on: its profile, the proxies that it believes, and the connections that came there.
import { createServer, type Server, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import { dayOf } from '#domain/day.ts';
import { base32, type Random } from '#domain/id.ts';
import type { Refusal } from '#gateway/sftp/auth/connection-limits.ts';
import { cannotListen } from '#runtime/http/listening.ts';
import { isWithin, networksOf, plainAddress } from '#runtime/networks.ts';
import { algorithmsOf, type ProfileName } from './algorithms.ts';
import { Connection, type ConnectionParts } from './connection.ts';
import { type HostKey, serves } from './host-keys.ts';
import { clientBehind } from './proxied.ts';
import { tooMany } from './rejects.ts';

export interface ListenerSettings {
  readonly listen: { readonly host: string; readonly port: number };
  readonly profile: ProfileName;
  /** When profile legacy becomes compat, in milliseconds since 1970; null for the other profiles. */
  readonly legacyUntil: number | null;
  /** Networks whose connections begin with a PROXY header; from other networks it is not accepted. */
  readonly proxies: readonly string[] | false;
}

export interface ListenerParts extends ConnectionParts {
  readonly hostKeys: readonly HostKey[];
  readonly random: Random;
}

export interface Listener {
  readonly port: number;
  readonly connections: ReadonlyMap<string, Connection>;
  /** Accepts no more. */
  close(): void;
}

/** In the version line of SSH; without a version, which would only tell which attacks to try. */
const IDENT = 'Dropgate';
const KEEPALIVE_MS = 30_000;
const NOTICE_MS = 30 * 86_400_000;
/** Connections whose proxy has not sent its header yet. */
const UNPROXIED_MAX = 100;

/** Throws `usage` when it cannot listen. */
export async function openListener(settings: ListenerSettings, parts: ListenerParts): Promise<Listener> {
  const { limits, clock, random, log, rejected, isStopping } = parts;
  const connections = new Map<string, Connection>();
  const proxies = networksOf(settings.proxies || []);
  /** Sockets whose proxy has not sent its header yet, and those that are queued for a slot. */
  const unproxied = new Set<Socket>();
  const queued = new Set<Socket>();
  const profiles = openProfiles(settings, parts);
  const servers = new Map(profiles.names.map((name) => [name, openSsh(name)]));

  function openSsh(profile: ProfileName): ssh2.Server {
    const { hostKeys, ssh2: patches } = parts;
    const server = new ssh2.Server(
      {
        hostKeys: hostKeys.filter(({ type }) => serves(profile, type)).map((key) => key.privateKey),
        algorithms: algorithmsOf(profile, patches.hasHybrid),
        ident: IDENT,
        keepaliveInterval: KEEPALIVE_MS,
        keepaliveCountMax: 3,
      },
      (client, { ip, port, header }) => {
        const connection = connections.get(peer(ip, port));
        client.on('error', () => {});
        if (connection) connection.identified(client, header.versions.software);
        else client.end();
      },
    );
    server.on('error', (error: unknown) => log.error({ event: 'sftp.server-error', err: error }));
    return server;
  }

  async function arrive(socket: Socket): Promise<void> {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isStopping()) return refuse(socket);
    const near = plainAddress(remoteAddress);
    if (!isWithin(proxies, near)) return admit(socket, near);
    if (unproxied.size >= UNPROXIED_MAX) return refuse(socket);
    unproxied.add(socket);
    const far = await clientBehind(socket, clock);
    unproxied.delete(socket);
    if (far !== undefined && !isStopping()) return admit(socket, far ?? near);
    log.debug({ event: 'sftp.connection-refused', address: near, reason: 'no-proxy-header' });
    refuse(socket);
  }

  async function admit(socket: Socket, address: string): Promise<void> {
    const slot = limits.connect(address, () => socket.destroy());
    if (typeof slot === 'string') return turnAway(socket, address, slot);
    socket.on('error', () => {});
    socket.once('close', () => slot[Symbol.dispose]());
    if (slot.isQueued) log.debug({ event: 'sftp.queued', address });
    queued.add(socket);
    const isGranted = await slot.granted;
    queued.delete(socket);
    if (!isGranted) return turnAway(socket, address, 'full');
    if (socket.destroyed || isStopping()) return refuse(socket);
    const { profile, legacyEnded } = profiles.now();
    const key = peer(socket.remoteAddress, socket.remotePort);
    const id = base32(random(5)).toLowerCase();
    const connection = new Connection({ id, socket, address, slot, profile, legacyEnded }, parts);
    connections.set(key, connection);
    void connection.closed.then(() => connections.delete(key));
    servers.get(profile)?.injectSocket(socket);
    connection.guard();
  }

  function turnAway(socket: Socket, address: string, reason: Refusal): void {
    log.debug({ event: 'sftp.connection-refused', address, reason });
    if ((reason === 'full' || reason === 'rate') && !isStopping() && !socket.destroyed) {
      rejected(tooMany(address));
      tellTooMany(socket);
    } else {
      refuse(socket);
    }
  }

  const listener = createServer({ noDelay: true }, (socket) => void arrive(socket));
  const port = await startListening(listener, settings.listen);
  listener.on('error', (error) => log.error({ event: 'sftp.listener-error', err: error }));
  return {
    port,
    connections,
    close() {
      listener.close();
      for (const socket of [...unproxied, ...queued]) socket.destroy();
    },
  };
}

interface Profiles {
  /** Those that the listener may serve. */
  readonly names: readonly ProfileName[];
  now(): { readonly profile: ProfileName; readonly legacyEnded: string | null };
}

/** After the last day of profile legacy the listener goes on with compat, so that clients which need no more are still served. */
function openProfiles({ listen, profile, legacyUntil }: ListenerSettings, { clock, log }: ListenerParts): Profiles {
  if (profile !== 'legacy' || legacyUntil === null) return { names: [profile], now: () => ({ profile, legacyEnded: null }) };
  const lastDay = dayOf(legacyUntil - 1);
  let isTold = false;
  function tell(event: string): void {
    if (!isTold) log.warn({ event, port: listen.port, lastDay });
    isTold = true;
  }
  if (clock.now() > legacyUntil - NOTICE_MS && clock.now() < legacyUntil)
    log.warn({ event: 'sftp.legacy-ends', port: listen.port, lastDay });
  return {
    names: ['legacy', 'compat'],
    now() {
      if (clock.now() < legacyUntil) return { profile, legacyEnded: null };
      tell('sftp.legacy-ended');
      return { profile: 'compat', legacyEnded: lastDay };
    },
  };
}

/** A server may send lines before its version line (RFC 4253 §4.2); OpenSSH's server reports its limit there, too. */
const TOO_MANY = 'dropgate: too many connections at once from your network; try again in a few seconds\r\n';

function tellTooMany(socket: Socket): void {
  socket.on('error', () => {});
  // Unread bytes at the close would reset the connection, and the client would lose the line.
  socket.resume();
  socket.write(TOO_MANY);
  socket.destroySoon();
}

/** Closed at once, a connection costs an attacker as much as it costs the server. */
function refuse(socket: Socket): void {
  socket.on('error', () => {});
  socket.destroy();
}

function startListening(listener: Server, { host, port }: ListenerSettings['listen']): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', (error) => reject(cannotListen('sftp.listen', `${host}:${port}`, error)));
    listener.listen(port, host, () => {
      const address = listener.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function peer(address: string | undefined, port: number | undefined): string {
  return `${address} ${port}`;
}
