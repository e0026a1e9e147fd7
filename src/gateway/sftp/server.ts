import type { Measures } from '#gateway/model/measures.ts';
import { type ConnectionLimitSettings, openConnectionLimits } from '#gateway/sftp/auth/connection-limits.ts';
import type { HomePath } from '#gateway/sftp/session/home-files.ts';
import { PARTLY_READ_MAX } from '#gateway/sftp/session/transfers.ts';
import { ViewBytes } from '#gateway/sftp/session/views.ts';
import { patchSsh2, type Ssh2Patches } from '#gateway/sftp/ssh2/patches.ts';
import { openPasswords } from '#runtime/auth/password.ts';
import type { AddTogether } from '#runtime/auth/slow-guessing.ts';
import { LruCache } from '#runtime/cache.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import { sourceOf } from '#runtime/networks.ts';
import type { Connection, ConnectionSettings, Present } from './connection.ts';
import { Listener, type ListenerParts, type ListenerSettings } from './listener.ts';

/** The part of the configuration's `sftp` that applies to every listener. Times in milliseconds, sizes in bytes. */
export type SftpSettings = ConnectionSettings & ConnectionLimitSettings;

/** What a server makes itself for its listeners. */
type Made = 'home' | 'passwords' | 'limits' | 'folders' | 'viewBytes' | 'partlyRead' | 'ssh2' | 'isStopping';

interface SftpOptions extends Omit<ListenerParts, Made> {
  /** One at least. */
  readonly listeners: readonly ListenerSettings[];
  /** The absolute path of an account's home on disk. */
  readonly homeFolder: HomePath;
  readonly settings: SftpSettings;
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
