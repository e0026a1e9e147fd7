// One address that the SFTP server listens on: its profile, the proxies that it believes, and the connections that came there.
import { createServer, type Server, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import { dayOf } from '#domain/day.ts';
import { base32, type Random } from '#domain/id.ts';
import type { Refusal } from '#gateway/sftp/auth/connection-limits.ts';
import type { HalfOpenSlot } from '#gateway/sftp/auth/half-open-slots.ts';
import { algorithmsOf, type ProfileName } from '#gateway/sftp/ssh2/algorithms.ts';
import { cannotListen } from '#runtime/http/listening.ts';
import { isWithin, networksOf, plainAddress } from '#runtime/networks.ts';
import { type Arrival, Connection, type ConnectionParts } from './connection.ts';
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
  /** All that any listener's profile needs. */
  readonly hostKeys: readonly HostKey[];
  readonly random: Random;
}

/** In the version line of SSH; without a version, which would only tell which attacks to try. */
const IDENT = 'Dropgate';
const KEEPALIVE_MS = 30_000;
const NOTICE_MS = 30 * 86_400_000;
/** Connections whose proxy has not sent its header yet. */
const UNPROXIED_MAX = 100;

export class Listener {
  readonly connections = new Map<string, Connection>();
  readonly #settings: ListenerSettings;
  readonly #parts: ListenerParts;
  readonly #proxies: ReturnType<typeof networksOf>;
  readonly #profiles: ReadonlyMap<ProfileName, ssh2.Server>;
  readonly #server: Server;
  /** Sockets whose proxy has not sent its header yet, and those that are queued for a slot. */
  readonly #unproxied = new Set<Socket>();
  readonly #queued = new Set<Socket>();
  #isEndTold = false;
  #port = 0;
  #isOpening = false;

  private constructor(settings: ListenerSettings, parts: ListenerParts) {
    this.#settings = settings;
    this.#parts = parts;
    this.#proxies = networksOf(settings.proxies || []);
    const profiles: ProfileName[] = settings.legacyUntil === null ? [settings.profile] : ['legacy', 'compat'];
    this.#profiles = new Map(profiles.map((profile) => [profile, this.#openSsh(profile)]));
    this.#server = createServer({ noDelay: true }, (socket) => void this.#arrive(socket));
  }

  /** Throws `usage` when it cannot listen. */
  static async open(settings: ListenerSettings, parts: ListenerParts): Promise<Listener> {
    const listener = new Listener(settings, parts);
    await listenTcp(listener.#server, settings.listen);
    const address = listener.#server.address();
    listener.#port = typeof address === 'object' && address !== null ? address.port : settings.listen.port;
    listener.#server.on('error', (error) => parts.log.error({ event: 'sftp.listener-error', err: error }));
    listener.#announceEnd();
    return listener;
  }

  get port(): number {
    return this.#port;
  }

  /** Takes new connections again, should it not, or takes none for now; those that are there stay. */
  accept(accepts: boolean): void {
    if (accepts === this.#server.listening || this.#isOpening) return;
    const { log } = this.#parts;
    const port = this.#port;
    log.warn({ event: accepts ? 'sftp.opened' : 'sftp.closed', port });
    if (!accepts) return void this.#server.close();
    this.#isOpening = true;
    listenTcp(this.#server, { ...this.#settings.listen, port })
      .catch((error: unknown) => log.error({ event: 'sftp.not-opened', port, err: error }))
      .finally(() => (this.#isOpening = false));
  }

  /** Accepts no more connections. */
  close(): void {
    this.#server.close();
    for (const socket of [...this.#unproxied, ...this.#queued]) socket.destroy();
  }

  #openSsh(profile: ProfileName): ssh2.Server {
    const { hostKeys, ssh2: patches, log } = this.#parts;
    const server = new ssh2.Server(
      {
        hostKeys: hostKeys.filter(({ type }) => serves(profile, type)).map((key) => key.privateKey),
        algorithms: algorithmsOf(profile, patches.hasHybrid),
        ident: IDENT,
        keepaliveInterval: KEEPALIVE_MS,
        keepaliveCountMax: 3,
      },
      (client, { ip, port, header }) => {
        const connection = this.connections.get(peer(ip, port));
        client.on('error', () => {});
        if (connection) connection.identified(client, header.versions.software);
        else client.end();
      },
    );
    server.on('error', (error: unknown) => log.error({ event: 'sftp.server-error', err: error }));
    return server;
  }

  async #arrive(socket: Socket): Promise<void> {
    const { isStopping, clock, log } = this.#parts;
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isStopping()) return refuse(socket);
    const near = plainAddress(remoteAddress);
    if (!isWithin(this.#proxies, near)) return this.#admit(socket, near);
    if (this.#unproxied.size >= UNPROXIED_MAX) return refuse(socket);
    this.#unproxied.add(socket);
    const far = await clientBehind(socket, clock);
    this.#unproxied.delete(socket);
    if (far !== undefined && !isStopping()) return this.#admit(socket, far ?? near);
    log.debug({ event: 'sftp.connection-refused', address: near, reason: 'no-proxy-header' });
    refuse(socket);
  }

  async #admit(socket: Socket, address: string): Promise<void> {
    const { limits, isStopping, log } = this.#parts;
    const slot = limits.connect(address, () => socket.destroy());
    if (typeof slot === 'string') return this.#turnAway(socket, address, slot);
    socket.on('error', () => {});
    socket.once('close', () => slot[Symbol.dispose]());
    if (slot.isQueued) log.debug({ event: 'sftp.queued', address });
    this.#queued.add(socket);
    const isGranted = await slot.granted;
    this.#queued.delete(socket);
    if (!isGranted) this.#turnAway(socket, address, 'full');
    else if (socket.destroyed || isStopping()) refuse(socket);
    else this.#connect(socket, address, slot);
  }

  #connect(socket: Socket, address: string, slot: HalfOpenSlot): void {
    const key = peer(socket.remoteAddress, socket.remotePort);
    const id = base32(this.#parts.random(5)).toLowerCase();
    const served = this.#profileNow();
    const connection = new Connection({ id, socket, address, slot, ...served }, this.#parts);
    this.connections.set(key, connection);
    void connection.closed.then(() => this.connections.delete(key));
    this.#profiles.get(served.profile)?.injectSocket(socket);
    connection.guard();
  }

  #turnAway(socket: Socket, address: string, reason: Refusal): void {
    const { log, rejected, isStopping } = this.#parts;
    log.debug({ event: 'sftp.connection-refused', address, reason });
    const isTold = (reason === 'full' || reason === 'rate') && !isStopping() && !socket.destroyed;
    if (isTold) rejected(tooMany(address));
    if (isTold) tellTooMany(socket);
    else refuse(socket);
  }

  /** After the last day of profile legacy the listener goes on with compat, so that clients which need no more are still served. */
  #profileNow(): Pick<Arrival, 'profile' | 'legacyEnded'> {
    const { profile, legacyUntil } = this.#settings;
    if (legacyUntil === null || this.#parts.clock.now() < legacyUntil) return { profile, legacyEnded: null };
    if (!this.#isEndTold) this.#warnOf('sftp.legacy-ended', legacyUntil);
    this.#isEndTold = true;
    return { profile: 'compat', legacyEnded: dayOf(legacyUntil - 1) };
  }

  #announceEnd(): void {
    const { legacyUntil } = this.#settings;
    const leftMs = (legacyUntil ?? Number.POSITIVE_INFINITY) - this.#parts.clock.now();
    if (legacyUntil !== null && leftMs > 0 && leftMs < NOTICE_MS) this.#warnOf('sftp.legacy-ends', legacyUntil);
  }

  #warnOf(event: string, legacyUntil: number): void {
    this.#parts.log.warn({ event, port: this.#settings.listen.port, lastDay: dayOf(legacyUntil - 1) });
  }
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

function listenTcp(server: Server, { host, port }: ListenerSettings['listen']): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(cannotListen('sftp.listen', `${host}:${port}`, error));
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function peer(address: string | undefined, port: number | undefined): string {
  return `${address} ${port}`;
}
