// The SFTP server: listens, lets connections in as far as there is room, and ends them when it stops.
import { createRequire } from 'node:module';
import { createServer, type Server, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import { base32, type Random } from '#domain/id.ts';
import type { Logins } from '#gateway/accounts.ts';
import type { Intake } from '#gateway/intake.ts';
import { openPasswords } from '#gateway/password.ts';
import type { Clock } from '#runtime/clock.ts';
import { cannotListen } from '#runtime/listening.ts';
import type { Log } from '#runtime/log.ts';
import { algorithmsOf } from './algorithms.ts';
import { Connection, type ConnectionParts, type ConnectionSettings } from './connection.ts';
import { type GateSettings, openGate } from './gate.ts';
import type { HostKey } from './host-keys.ts';
import { teachHybrid } from './kex.ts';
import type { Reject } from './rejects.ts';
import type { HomePath } from './shelf.ts';

/** The part of the configuration's `sftp` that this server obeys. Times in milliseconds, sizes in bytes. */
export type SftpSettings = ConnectionSettings & GateSettings;

export interface SftpOptions {
  readonly listen: { readonly host: string; readonly port: number };
  readonly hostKeys: readonly HostKey[];
  readonly logins: Logins;
  readonly intake: Intake;
  /** The absolute path of an account's home on disk. */
  readonly homeFolder: HomePath;
  readonly settings: SftpSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** A connection has ended without a login. */
  readonly rejected: (reject: Reject) => void;
}

export interface SftpServer {
  readonly port: number;
  /** Whether ssh2's optional crypto add-on is in use. Without it everything works, at about twice the CPU. */
  readonly nativeCrypto: boolean;
  /** Logins have changed: ends the sessions of those that are gone, or that no longer see a home which they saw. */
  review(): void;
  /**
   * Accepts no more connections, lets running transfers end until `cut` fires, then cuts them; without a signal at once.
   * Resolves when every connection is closed and every upload committed or given up.
   */
  close(cut?: AbortSignal): Promise<void>;
}

/** What stands in the greeting: no version, for it would only tell which attacks to try. */
const IDENT = 'Dropgate';
const KEEPALIVE_MS = 30_000;

/** Throws `usage` when it cannot listen. */
export async function startSftpServer(options: SftpOptions): Promise<SftpServer> {
  const { listen, hostKeys, logins, intake, homeFolder, settings, clock, random, log, rejected } = options;
  const connections = new Map<string, Connection>();
  const gate = openGate(settings, clock);
  let stopping = false;
  const isStopping = (): boolean => stopping;
  const parts: ConnectionParts = {
    logins,
    passwords: openPasswords(random),
    intake,
    home: homeFolder,
    settings,
    gate,
    clock,
    log,
    rejected,
    isStopping,
  };

  teachHybrid();
  const ssh = new ssh2.Server(
    {
      hostKeys: hostKeys.map((key) => key.privateKey),
      algorithms: algorithmsOf(settings.profile),
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
  ssh.on('error', (error: unknown) => log.error({ event: 'sftp.server-error', err: error }));

  const listener = createServer({ noDelay: true }, (socket) => {
    const { remoteAddress, remotePort } = socket;
    if (remoteAddress === undefined || stopping) {
      refuse(socket);
      return;
    }
    const address = plainAddress(remoteAddress);
    const arrival = gate.arrive(address);
    if (typeof arrival === 'string') {
      log.debug({ event: 'sftp.not-let-in', address, reason: arrival });
      refuse(socket);
      return;
    }
    const key = peer(remoteAddress, remotePort);
    const connection = new Connection(base32(random(5)).toLowerCase(), socket, address, arrival, parts);
    connections.set(key, connection);
    void connection.closed.then(() => connections.delete(key));
    ssh.injectSocket(socket);
    connection.guard();
  });

  const port = await startListening(listener, listen);
  listener.on('error', (error) => log.error({ event: 'sftp.listener-error', err: error }));
  return {
    port,
    nativeCrypto: hasNativeCrypto(),
    review() {
      for (const connection of connections.values()) connection.review();
    },
    async close(cut = AbortSignal.abort()) {
      stopping = true;
      listener.close();
      const open = [...connections.values()];
      const cutAll = (): void => {
        for (const connection of open) connection.cut();
      };
      for (const connection of open) connection.stop();
      if (cut.aborted) cutAll();
      else cut.addEventListener('abort', cutAll, { once: true });
      await Promise.all(open.map((connection) => connection.closed));
      cut.removeEventListener('abort', cutAll);
    },
  };
}

/** A listener that closes the socket at once costs an attacker a connection and us nearly nothing. */
function refuse(socket: Socket): void {
  socket.on('error', () => {});
  socket.destroy();
}

function startListening(listener: Server, { host, port }: SftpOptions['listen']): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', (error) => reject(cannotListen('sftp.listen', `${host}:${port}`, error)));
    listener.listen(port, host, () => {
      const address = listener.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function peer(address: string, port: number | undefined): string {
  return `${address} ${port}`;
}

/** An IPv4 address that came through an IPv6 listener, as IPv4. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

function hasNativeCrypto(): boolean {
  const crypto: unknown = createRequire(import.meta.url)('ssh2/lib/protocol/crypto.js');
  return typeof crypto === 'object' && crypto !== null && 'bindingAvailable' in crypto && crypto.bindingAvailable === true;
}
