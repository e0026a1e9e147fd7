// The SFTP server: its listeners, what their connections share, and how it stops.
import type { Random } from '#domain/id.ts';
import type { Logins } from '#gateway/model/account.ts';
import type { Intake } from '#gateway/model/intake.ts';
import type { Measures } from '#gateway/model/measures.ts';
import type { Views } from '#gateway/model/view.ts';
import { type ConnectionLimitSettings, openConnectionLimits } from '#gateway/sftp/auth/connection-limits.ts';
import { openPasswords } from '#gateway/sftp/auth/password.ts';
import type { AddTogether } from '#gateway/sftp/auth/slow-guessing.ts';
import type { HomePath } from '#gateway/sftp/session/home-files.ts';
import { PARTLY_READ_MAX } from '#gateway/sftp/session/transfers.ts';
import { ViewBytes } from '#gateway/sftp/session/views.ts';
import { patchSsh2, type Ssh2Patches } from '#gateway/sftp/ssh2/patches.ts';
import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import type { Log } from '#runtime/log.ts';
import type { LogThrottle } from '#runtime/log-throttle.ts';
import { sourceOf } from '#runtime/networks.ts';
import type { ServedParts } from './channels.ts';
import type { Connection, ConnectionParts, ConnectionSettings, Present } from './connection.ts';
import type { HostKey } from './host-keys.ts';
import { Listener, type ListenerParts, type ListenerSettings } from './listener.ts';
import type { Reject } from './rejects.ts';

/** The part of the configuration's `sftp` that applies to every listener. Times in milliseconds, sizes in bytes. */
export type SftpSettings = ConnectionSettings & ConnectionLimitSettings;

export interface SftpOptions {
  /** One at least. */
  readonly listeners: readonly ListenerSettings[];
  /** All that any listener's profile needs. */
  readonly hostKeys: readonly HostKey[];
  readonly logins: Logins;
  readonly intake: Intake;
  /** The absolute path of an account's home on disk. */
  readonly homeFolder: HomePath;
  readonly inHand: ServedParts['inHand'];
  readonly views: Views;
  /** Whether a complete download takes a document out of the outbox of this home. */
  readonly downloadTakes: (home: string) => boolean;
  readonly settings: SftpSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** For lines that clients cause. */
  readonly throttle: LogThrottle;
  /** A connection has ended without a login. */
  readonly rejected: (reject: Reject) => void;
  readonly loggedIn: ConnectionParts['loggedIn'];
  /** A login has downloaded, removed or renamed a published file. */
  readonly fetched: ServedParts['fetched'];
  readonly uploadFailed: ServedParts['uploadFailed'];
  readonly measures?: Pick<Measures, 'banned'>;
  /** Where several servers count the penalties of addresses together. */
  readonly addTogether?: AddTogether | undefined;
  /** Of the installed ssh2, where it is not asked for it. */
  readonly ssh2Version?: string;
}

export interface SftpServer {
  /** Of the first listener. */
  readonly port: number;
  readonly ports: readonly number[];
  /** What encrypts: ssh2's optional add-on, or JavaScript at about twice the CPU. */
  readonly crypto: Ssh2Patches['crypto'];
  /** Connections that are open, and those of them that are logged in. */
  counts(): { readonly connections: number; readonly sessions: number };
  /** Who is connected now, the longest first. */
  present(): Present[];
  /** Takes new connections, or none for now: their balancer brings them to another node. Those that are there stay. */
  accept(accepts: boolean): void;
  /** Logins have changed: ends the sessions that their login does not allow any more. */
  review(): void;
  /**
   * Accepts no more connections, lets running transfers end until `cut` fires, then cuts them; without a signal at once.
   * Resolves when every connection is closed and every upload committed or given up.
   */
  close(cut?: AbortSignal): Promise<void>;
}

/** Throws `usage` when it cannot listen. */
export async function startSftpServer(options: SftpOptions): Promise<SftpServer> {
  let stopping = false;
  const { homeFolder: home, settings, clock, random, log } = options;
  const lines = options.throttle.lines(log, ({ address }) => ({ session: null, by: { address: sourceOf(String(address)) } }));
  const banned = (address: string): void => {
    options.measures?.banned();
    lines.warn({ event: 'sftp.banned', address });
  };
  const parts: ListenerParts = {
    ...options,
    home,
    passwords: openPasswords(random),
    limits: openConnectionLimits(settings, clock, banned, options.addTogether),
    folders: new FolderSync(),
    viewBytes: new ViewBytes(),
    partlyRead: new LruCache(PARTLY_READ_MAX),
    ssh2: patchSsh2(log, options.ssh2Version),
    isStopping: () => stopping,
  };
  const listeners = await openAll(options.listeners, parts);
  const connections = (): Connection[] => listeners.flatMap((listener) => [...listener.connections.values()]);
  const ports = listeners.map(({ port }) => port);
  return {
    port: ports[0] ?? 0,
    ports,
    crypto: parts.ssh2.crypto,
    counts() {
      const open = connections();
      return { connections: open.length, sessions: open.filter(({ isLoggedIn }) => isLoggedIn).length };
    },
    present: () =>
      connections()
        .map(({ present }) => present)
        .sort((a, b) => a.sinceMs - b.sinceMs),
    accept(accepts) {
      if (!stopping) for (const listener of listeners) listener.accept(accepts);
    },
    review() {
      const counts = new Map<string, number>();
      for (const connection of connections()) connection.review(counts);
    },
    async close(cut = AbortSignal.abort()) {
      stopping = true;
      for (const listener of listeners) listener.close();
      const open = connections();
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

/** All of them, or none. */
async function openAll(settings: readonly ListenerSettings[], parts: ListenerParts): Promise<Listener[]> {
  const opened: Listener[] = [];
  try {
    for (const each of settings) opened.push(await Listener.open(each, parts));
  } catch (error) {
    for (const listener of opened) listener.close();
    throw error;
  }
  return opened;
}
