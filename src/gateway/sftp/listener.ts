// One address that the SFTP server listens on: its profile, the proxies that it believes, and the connections that came there.
import { createServer, type Server, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import { dayOf } from '#domain/day.ts';
import { base32, type Random } from '#domain/id.ts';
import type { Barrier } from '#gateway/sftp/auth/connection-gate.ts';
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
  /** Networks whose connections begin with a PROXY header; nobody else is believed. */
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

/** What stands in the greeting: no version, for it would only tell which attacks to try. */
const IDENT = 'Dropgate';
const KEEPALIVE_MS = 30_000;
const NOTICE_MS = 30 * 86_400_000;
/** Connections whose proxy has not said yet for whom it connects. */
const UNTOLD_MAX = 100;

/** Throws `usage` when it cannot listen. */
export async function openListener(settings: ListenerSettings, parts: ListenerParts): Promise<Listener> {
  const { gate, clock, random, log, rejected, isStopping } = parts;
  const connections = new Map<string, Connection>();
  const proxies = networksOf(settings.proxies || []);
  const untold = new Set<Socket>();
  /** Those that are not connections yet: in line for a place. */
  const early = new Set<Socket>();
  const profiles = openProfiles(settings, parts);
  const servers = new Map(profiles.names.map((name) => [name, openSsh(name)]));

  function openSsh(profile: ProfileName): ssh2.Server {
    const { hostKeys } = parts;
    const server = new ssh2.Server(
      {
        hostKeys: hostKeys.filter(({ type }) => serves(profile, type)).map((key) => key.privateKey),
        algorithms: algorithmsOf(profile),
        ident: IDENT,
        keepaliveInterval: KEEPALIVE_MS,
        keepaliveCountMax: 3,
      },
      (client, { ip, port, header }) => {
        const connection = connections.get(peer(ip, port));
        client.on('error', () => {});
        if (connection) connection.greet(client, header.versions.software);
        else client.end();
      },
    );
    server.on('error', (error: unknown) => log.error({ event: 'sftp.server-error', err: error }));
    return server;
  }

  async function welcome(socket: Socket): Promise<void> {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isStopping()) return refuse(socket);
    const near = plainAddress(remoteAddress);
    if (!isWithin(proxies, near)) return admit(socket, near);
    if (untold.size >= UNTOLD_MAX) return refuse(socket);
    untold.add(socket);
    const far = await clientBehind(socket, clock);
    untold.delete(socket);
    if (far !== undefined && !isStopping()) return admit(socket, far ?? near);
    log.debug({ event: 'sftp.not-let-in', address: near, reason: 'no-proxy-header' });
    refuse(socket);
  }

  async function admit(socket: Socket, address: string): Promise<void> {
    const place = gate.arrive(address, () => socket.destroy());
    if (typeof place === 'string') return turnAway(socket, address, place);
    socket.on('error', () => {});
    socket.once('close', () => place[Symbol.dispose]());
    if (place.isInLine) log.debug({ event: 'sftp.in-line', address });
    early.add(socket);
    const isGranted = await place.granted;
    early.delete(socket);
    if (!isGranted) return turnAway(socket, address, 'full');
    if (socket.destroyed || isStopping()) return refuse(socket);
    const { profile, legacyEnded } = profiles.now();
    const key = peer(socket.remoteAddress, socket.remotePort);
    const id = base32(random(5)).toLowerCase();
    const connection = new Connection({ id, socket, address, place, profile, legacyEnded }, parts);
    connections.set(key, connection);
    void connection.closed.then(() => connections.delete(key));
    servers.get(profile)?.injectSocket(socket);
    connection.guard();
  }

  function turnAway(socket: Socket, address: string, reason: Barrier): void {
    log.debug({ event: 'sftp.not-let-in', address, reason });
    if ((reason === 'full' || reason === 'rate') && !isStopping() && !socket.destroyed) {
      rejected(tooMany(address));
      tellTooMany(socket);
    } else {
      refuse(socket);
    }
  }

  const listener = createServer({ noDelay: true }, (socket) => void welcome(socket));
  const port = await startListening(listener, settings.listen);
  listener.on('error', (error) => log.error({ event: 'sftp.listener-error', err: error }));
  return {
    port,
    connections,
    close() {
      listener.close();
      for (const socket of [...untold, ...early]) socket.destroy();
    },
  };
}

interface Profiles {
  /** Those that the listener may serve. */
  readonly names: readonly ProfileName[];
  now(): { readonly profile: ProfileName; readonly legacyEnded: string | null };
}

/** Profile legacy ends on its day, and compat goes on: whoever needs no more shall not be shut out by the date. */
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

/** Lines that come before the server's greeting are for people (RFC 4253 §4.2); OpenSSH's server says so in the same place. */
const TOO_MANY = 'dropgate: too many connections at once from your network; try again in a few seconds\r\n';

function tellTooMany(socket: Socket): void {
  socket.on('error', () => {});
  // What it has sent is taken first: closing over unread bytes would take the line away from it.
  socket.resume();
  socket.write(TOO_MANY);
  socket.destroySoon();
}

/** A listener that closes the socket at once costs an attacker a connection and us nearly nothing. */
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
